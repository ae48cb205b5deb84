#include "bridle/run/phases.hpp"

#include "bridle/core/formatted.hpp"

namespace bridle {

PhaseSpending& PhaseSpending::operator+=(const PhaseSpending& other) {
  sample_gradients += other.sample_gradients;
  full_gradients += other.full_gradients;
  hessians += other.hessians;
  hessian_products += other.hessian_products;
  projections += other.projections;
  seconds += other.seconds;
  return *this;
}

PhaseTable& PhaseTable::operator+=(const PhaseTable& other) {
  for (const Phase phase : all_phases) (*this)[phase] += other[phase];
  return *this;
}

double PhaseTable::working_seconds() const {
  double sum = 0;
  for (const Phase phase : all_phases)
    if (phase != Phase::judge) sum += (*this)[phase].seconds;
  return sum;
}

PhaseTable PhaseTable::as_a_start() const {
  PhaseTable out;
  for (const Phase phase : all_phases)
    out[phase == Phase::judge ? Phase::judge : Phase::start] += (*this)[phase];
  return out;
}

std::string PhaseTable::text() const {
  std::string out = formatted("%-14s %12s %12s %10s %10s %12s %10s\n", "phase", "sample grad.", "full grad.",
                              "Hessians", "products", "projections", "seconds");
  for (const Phase phase : all_phases) {
    const PhaseSpending& row = (*this)[phase];
    out += formatted("  %-12s %12.10g %12.6g %10.6g %10.6g %12.10g %10.2g\n",
                     std::string(to_string(phase)).c_str(), row.sample_gradients, row.full_gradients,
                     row.hessians, row.hessian_products, row.projections, row.seconds);
  }
  return out;
}

std::string found_by_text(FoundBy found_by) {
  switch (found_by) {
    case FoundBy::start:
      return "found by the start";
    case FoundBy::loop_x:
      return "found by the loop: x";
    case FoundBy::loop_z:
      return "found by the loop: z";
    case FoundBy::smoothed_output:
      return "found by the loop: its smoothed output, z at the random time t*";
    case FoundBy::post_processing:
      return "found by the loop: its output at the random time t*, post-processed";
    case FoundBy::polish:
      return "found by the polish";
    case FoundBy::second_order:
      return "found by the second-order steps";
  }
  return "found by nobody";
}

}  // namespace bridle
