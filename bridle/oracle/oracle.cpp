#include "bridle/oracle/oracle.hpp"

#include <cmath>

#include "bridle/oracle/draws.hpp"

namespace bridle {

void Oracle::full_gradient(const Vector& x, Vector& out) {
  ++asked_;
  if (objective_.has_exact_mean()) return objective_.mean_gradient(x, out);
  objective_.batch_gradient(x, drawn_batch(objective_, Stream(seed_, Purpose::first_batch), batch_), out);
}

double Oracle::estimate_value(const Vector& x, Index count) const {
  if (objective_.sample_count() == 1 || objective_.sample_count() == endless)
    if (const auto value = objective_.mean_value(x)) return *value;
  const auto samples = drawn_batch(objective_, Stream(seed_, Purpose::certificate), count);
  return objective_.batch_value(x, samples).value_or(std::nan(""));
}

double Oracle::pass_cost() const {
  if (!objective_.has_exact_mean()) return static_cast<double>(batch_);
  return objective_.sample_count() == endless ? 1 : static_cast<double>(objective_.sample_count());
}

}  // namespace bridle
