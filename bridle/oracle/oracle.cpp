#include "bridle/oracle/oracle.hpp"

#include "bridle/oracle/draws.hpp"

namespace bridle {

void Oracle::full_gradient(const Vector& x, Vector& out) {
  if (objective_.has_exact_mean()) return objective_.mean_gradient(x, out);
  objective_.batch_gradient(x, drawn_batch(objective_, Stream(seed_, Purpose::first_batch), batch_), out);
}

double Oracle::pass_cost() const {
  if (!objective_.has_exact_mean()) return static_cast<double>(batch_);
  return objective_.sample_count() == endless ? 1 : static_cast<double>(objective_.sample_count());
}

}  // namespace bridle
