#include "bridle/report/certificate_text.hpp"

#include <fmt/format.h>

namespace bridle {

std::string certificate_text(const Certificate& c) {
  std::string out = fmt::format("{:<18} {:>12} {:>12}\n", "certificate", "absolute", "relative");
  const auto line = [&](const char* name, double value, double scale, const std::string& note) {
    out += fmt::format("  {:<16} {:>12.4e} {:>12.4e}{}{}\n", name, value, value / scale,
                       note.empty() ? "" : "  ", note);
  };
  line("feasibility", c.feasibility, c.feasibility_scale,
       c.max_violation > 0 ? fmt::format("largest {:.2e}, row {}", c.max_violation, c.worst_row) : "");
  line("distance to X", c.set_distance, c.point_scale, "");
  line("stationarity", c.stationarity, c.stationarity_scale,
       c.exact ? "" : fmt::format("+- {:.2e} (95%), from {} samples", c.stationarity_halfwidth, c.gradients));
  line("complementarity", c.complementarity, c.feasibility_scale,
       c.multipliers_improved ? "multipliers by bounded least squares" : "");
  out += fmt::format("  {:<16} {:>12.8g}", "objective", c.objective);
  if (c.objective_halfwidth > 0) out += fmt::format(" +- {:.2e} (95%)", c.objective_halfwidth);
  return out + "\n";
}

}  // namespace bridle
