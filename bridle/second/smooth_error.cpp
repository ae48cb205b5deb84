#include "bridle/second/smooth_error.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {

double smooth_error(const SmoothModel& model, const SmoothLocal& at, const Vector& y,
                    const Vector& row_unit) {
  const Vector slope = at.gradient + at.jacobian.transpose() * y;
  double scale = std::max(at.gradient.lpNorm<Eigen::Infinity>(), 1e-300), worst = 0;
  for (Index i = 0; i < y.size(); ++i)
    for (SparseRows::InnerIterator it(at.jacobian, i); it; ++it)
      scale = std::max(scale, std::abs(it.value() * y[i]));
  for (Index j = 0; j < slope.size(); ++j) {
    double off = slope[j];
    if (at.x[j] <= model.least()[j]) off = std::min(off, 0.0);
    if (at.x[j] >= model.most()[j]) off = std::max(off, 0.0);
    worst = std::max(worst, std::abs(off) / scale);
  }
  for (Index i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (SparseRows::InnerIterator it(at.jacobian, i); it; ++it) sum += std::abs(it.value() * at.x[it.col()]);
    const double a = at.activity[i], bound = y[i] > 0 ? model.upper()[i] : model.lower()[i];
    const double size = std::max({sum, std::abs(a), 1e-300});
    worst = std::max(worst, std::abs(model.broken(i, a)) / size);
    if (y[i] == 0 || model.equality(i)) continue;
    const double gap = is_finite(bound) ? std::abs(bound - a) / size : 1;
    worst = std::max(worst, std::min(gap, std::abs(y[i]) / (row_unit[i] * scale)));
  }
  return std::isfinite(worst) ? worst : infinity;
}

}  // namespace bridle::second
