#include "bridle/certify/certificate_text.hpp"

#include "bridle/core/formatted.hpp"

namespace bridle {

std::string certificate_text(const Certificate& c) {
  std::string out = formatted("%-18s %12s %12s\n", "certificate", "absolute", "relative");
  const auto line = [&](const char* name, const Figure& figure, const std::string& note = {}) {
    out += formatted("  %-16s %12.4e %12.4e", name, figure.absolute, figure.relative);
    if (!figure.where.empty()) out += "  " + figure.where;
    if (!note.empty()) out += "  " + note;
    out += "\n";
  };
  line("feasibility", c.feasibility);
  line("distance to X", c.set_distance);
  line("stationarity", c.stationarity,
       c.exact ? ""
               : formatted("+- %.2e (95%%), from %lld samples", c.stationarity_halfwidth.relative,
                           static_cast<long long>(c.gradients)));
  line("complementarity", c.complementarity,
       c.multipliers_improved ? "multipliers by bounded least squares" : "");
  if (c.convex) line("duality gap", c.gap);
  out += formatted("  %-16s %12.8g", "objective", c.objective);
  if (c.objective_halfwidth > 0) out += formatted(" +- %.2e (95%%)", c.objective_halfwidth);
  return out + "\n";
}

}  // namespace bridle
