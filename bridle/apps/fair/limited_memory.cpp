#include "bridle/apps/fair/limited_memory.hpp"

#include <cmath>
#include <vector>

namespace bridle {
namespace {

constexpr std::size_t most_pairs = 30;
constexpr double least_curvature = 0.2;  // of what is known, below which a change is mixed with it

}  // namespace

void LimitedMemory::remember(const Vector& step, Vector change) {
  const double length = step.squaredNorm();
  if (!(length > 0) || !change.allFinite()) return;
  const double known = length / scale_;
  const double found = step.dot(change);
  if (!pairs_.empty() && found < least_curvature * known) {
    const double share = (1 - least_curvature) * known / (known - found);
    change = share * change + (1 - share) / scale_ * step;
  }
  const double product = step.dot(change), squares = change.squaredNorm();
  if (!(product > 1e-12 * std::sqrt(length * squares))) return;
  pairs_.push_back({step, change, product});
  if (pairs_.size() > most_pairs) pairs_.pop_front();
  if (found > 0) scale_ = product / squares;
}

Matrix LimitedMemory::inverse_times(const Matrix& columns) const {
  Matrix out(columns.rows(), columns.cols());
  for (Index j = 0; j < columns.cols(); ++j) out.col(j) = inverse_times_one(columns.col(j));
  return out;
}

Vector LimitedMemory::inverse_times_one(Vector v) const {
  std::vector<double> taken(pairs_.size());
  for (std::size_t k = pairs_.size(); k-- > 0;) {
    taken[k] = pairs_[k].step.dot(v) / pairs_[k].product;
    v -= taken[k] * pairs_[k].change;
  }
  v *= scale_;
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    v += (taken[k] - pairs_[k].change.dot(v) / pairs_[k].product) * pairs_[k].step;
  return v;
}

}  // namespace bridle
