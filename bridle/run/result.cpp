#include "bridle/run/result.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace bridle {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
  va_end(arguments);
  return buffer;
}

}  // namespace

std::string Result::brief_report() const {
  return format("%s: objective %.8g, error %.2e (%s tolerance %.1e), %llu iterations, %.2f s",
                std::string(to_string(status)).c_str(), objective(), certificate.error(),
                absolute ? "absolute" : "relative", tolerance, static_cast<unsigned long long>(iterations),
                solve_seconds + certify_seconds);
}

std::string Result::conflict() const {
  if (!infeasibility) return {};
  constexpr std::size_t most = 6;
  const Names& rows = infeasibility->conflict;
  std::string out = rows.size() == 1 ? "cannot be met: row " : "contradict each other: rows ";
  for (std::size_t k = 0; k < std::min(most, rows.size()); ++k) out += (k ? ", " : "") + rows[k];
  if (rows.size() > most) out += format(" and %zu more", rows.size() - most);
  out += " (with the bounds of the variables)";
  if (infeasibility->reach < infinity)
    out +=
        format("; proven for all points up to %.1e times the size of rows and bounds", infeasibility->reach);
  return out;
}

std::string Result::endless_fall() const {
  if (!unboundedness) return {};
  constexpr std::size_t most = 6;
  const Names& names = unboundedness->variables;
  std::string out = "the objective falls without end along";
  for (std::size_t k = 0; k < std::min(most, names.size()); ++k) {
    const auto at =
        std::find(variable_names.begin(), variable_names.end(), names[k]) - variable_names.begin();
    out += format("%s %+.3g %s", k ? "," : "", unboundedness->direction[at], names[k].c_str());
  }
  if (names.size() > most) out += format(" and %zu more", names.size() - most);
  return out;
}

std::string Result::full_report() const {
  const Certificate& c = certificate;
  std::string out = brief_report();
  if (infeasibility) out += "\n" + conflict();
  if (unboundedness) out += "\n" + endless_fall();
  out += "\n\ncertificate                absolute      relative\n";
  const auto line = [&](const char* name, const Figure& figure, const std::string& note = {}) {
    out += format("  %-22s %12.4e  %12.4e  %s\n", name, figure.absolute, figure.relative,
                  note.empty() ? figure.where.c_str() : note.c_str());
  };
  line("feasibility", c.feasibility);
  line("distance to X", c.set_distance);
  line("stationarity", c.stationarity,
       c.exact ? ""
               : format("+- %.2e (95%%), from %lld samples", c.stationarity_halfwidth.relative,
                        static_cast<long long>(c.gradients)));
  line("complementarity", c.complementarity, c.multipliers_improved ? "multipliers by least squares" : "");
  if (c.convex) line("duality gap", c.gap);
  out += format("  %-22s %12.8g", "objective", c.objective);
  if (c.objective_halfwidth > 0) out += format("  +- %.2e (95%%)", c.objective_halfwidth);
  out += format("\n\nparameters (%s, %s)\n", algorithm.c_str(), parameter_source.c_str());
  for (const auto& reason : reasons)
    out += format("  %-5s = %-12.5g %s\n", reason.symbol.c_str(), reason.value, reason.why.c_str());
  for (const auto& event : events) out += "  noticed: " + event + "\n";
  return out;
}

}  // namespace bridle
