#include "bridle/second/error_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {

ErrorEstimate::ErrorEstimate(const Region& region, Vector origin, Vector gradient_there, Vector curvature)
    : region_(region),
      origin_(std::move(origin)),
      gradient_there_(std::move(gradient_there)),
      curvature_(std::move(curvature)),
      in_row_(static_cast<std::size_t>(region.dimension())) {
  for (Index i = 0; i < region.count(); ++i)
    for (SparseRows::InnerIterator it(region.rows, i); it; ++it)
      in_row_[static_cast<std::size_t>(it.col())] = true;
}

// What a push towards a bound is worth: itself, or the way that is left to the bound, as the judge charges
// it.
double ErrorEstimate::charge(Index j, double push, double x, double scale, double at_stake) const {
  const double itself = std::abs(push) / scale;
  const double bound = push > 0 ? region_.lower[j] : region_.upper[j];
  if (!is_finite(bound) || (bound == 0 && in_row_[static_cast<std::size_t>(j)])) return itself;
  const double gap = std::abs(x - bound);
  const double size = std::max(std::abs(bound), 1e-11 * std::abs(x));
  const double way = std::max(std::abs(push) * gap / at_stake, bound != 0 ? gap / size : 0.0);
  return way < itself ? way : itself;
}

double ErrorEstimate::operator()(const Vector& x, const Vector& gradient, const Vector& multipliers) const {
  const Vector slope = gradient + region_.rows.transpose() * multipliers;
  const double bent = (gradient - gradient_there_).cwiseAbs().dot((x - origin_).cwiseAbs());
  double worst = 0;
  for (Index j = 0; j < x.size(); ++j) {
    double off = slope[j];
    if (x[j] <= region_.lower[j]) off = std::min(off, 0.0);
    if (x[j] >= region_.upper[j]) off = std::max(off, 0.0);
    if (region_.fixed(j) || off == 0) continue;
    const double scale = std::max({std::abs(gradient[j]), std::abs(gradient_there_[j]),
                                   std::sqrt(std::max(0.0, bent) * curvature_[j])});
    const double relative = charge(j, off, x[j], scale, bent);
    if (!(relative <= worst)) worst = std::isfinite(relative) ? relative : infinity;
  }
  return worst;
}

}  // namespace bridle::second
