#include "bridle/report/certificate_text.hpp"

#include <fmt/format.h>

namespace bridle {

std::string certificate_text(const Certificate& c) {
  std::string out = fmt::format("{:<18} {:>12} {:>12}\n", "certificate", "absolute", "relative");
  const auto line = [&](const char* name, const Figure& figure, const std::string& note = {}) {
    out += fmt::format("  {:<16} {:>12.4e} {:>12.4e}{}{}{}{}\n", name, figure.absolute, figure.relative,
                       figure.where.empty() ? "" : "  ", figure.where, note.empty() ? "" : "  ", note);
  };
  line("feasibility", c.feasibility);
  line("distance to X", c.set_distance);
  line("stationarity", c.stationarity,
       c.exact
           ? ""
           : fmt::format("+- {:.2e} (95%), from {} samples", c.stationarity_halfwidth.relative, c.gradients));
  line("complementarity", c.complementarity,
       c.multipliers_improved ? "multipliers by bounded least squares" : "");
  if (c.convex) line("duality gap", c.gap);
  out += fmt::format("  {:<16} {:>12.8g}", "objective", c.objective);
  if (c.objective_halfwidth > 0) out += fmt::format(" +- {:.2e} (95%)", c.objective_halfwidth);
  return out + "\n";
}

}  // namespace bridle
