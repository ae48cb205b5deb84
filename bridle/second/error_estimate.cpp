#include "bridle/second/error_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {

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
    const double relative = std::abs(off) / scale;
    if (!(relative <= worst)) worst = std::isfinite(relative) ? relative : infinity;
  }
  return worst;
}

}  // namespace bridle::second
