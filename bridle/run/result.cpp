#include "bridle/run/result.hpp"

#include <algorithm>

#include "bridle/certify/certificate_text.hpp"
#include "bridle/core/formatted.hpp"

namespace bridle {

std::string Result::brief_report() const {
  const bool loop = iterations > 0 || second_order.iterations == 0;  // others go by second-order steps alone
  const auto count = loop ? iterations : static_cast<std::uint64_t>(second_order.iterations);
  return formatted("%s: objective %.8g, error %.2e (%s tolerance %.1e), %llu %s, %.2f s",
                   std::string(to_string(status)).c_str(), objective(), certificate.error(),
                   absolute ? "absolute" : "relative", tolerance, static_cast<unsigned long long>(count),
                   loop ? "iterations" : "steps", solve_seconds + certify_seconds);
}

void Result::account(const PhaseTable& table) {
  phases = table;
  solve_seconds = table.working_seconds();
  certify_seconds = table[Phase::judge].seconds;
}

std::string Result::conflict() const {
  if (!infeasibility) return {};
  constexpr std::size_t most = 6;
  const Names& rows = infeasibility->conflict;
  std::string out = rows.size() == 1 ? "cannot be met: row " : "contradict each other: rows ";
  for (std::size_t k = 0; k < std::min(most, rows.size()); ++k) out += (k ? ", " : "") + rows[k];
  if (rows.size() > most) out += formatted(" and %zu more", rows.size() - most);
  out += " (with the bounds of the variables)";
  if (infeasibility->reach < infinity)
    out += formatted("; proven for all points up to %.1e times the size of rows and bounds",
                     infeasibility->reach);
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
    out += formatted("%s %+.3g %s", k ? "," : "", unboundedness->direction[at], names[k].c_str());
  }
  if (names.size() > most) out += formatted(" and %zu more", names.size() - most);
  return out;
}

std::string Result::full_report() const {
  std::string out = brief_report();
  if (infeasibility) out += "\n" + conflict();
  if (unboundedness) out += "\n" + endless_fall();
  if (!advice.empty()) out += "\nstopped: " + advice;
  out += "\n" + found_by_text(found_by) + "\n\n" + phases.text();
  out += "\n" + certificate_text(certificate);
  out += formatted("\nparameters (%s, %s)\n", algorithm.c_str(), parameter_source.c_str());
  for (const auto& reason : reasons)
    out += formatted("  %-5s = %-12.5g %s\n", reason.symbol.c_str(), reason.value, reason.why.c_str());
  for (const auto& event : events) out += "  noticed: " + event + "\n";
  return out;
}

}  // namespace bridle
