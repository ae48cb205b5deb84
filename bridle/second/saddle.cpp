#include "bridle/second/saddle.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/second/face_curvature.hpp"
#include "bridle/second/region_projector.hpp"

namespace bridle::second {
namespace {

constexpr double negative = -1e-7;  // curvature of a saddle, relative to the largest

FaceCurvature curvature_at(const Region& region, Landscape& landscape, const Vector& x,
                           const Vector& curvature, bool dense, Work& work) {
  if (dense) {
    Matrix hessian;
    landscape.hessian(hessian, 1, 0);
    work.spent.hessians += 1;
    const auto product = [&](const Vector& d, Vector& image) { image = hessian * d; };
    return least_curvature(region, x, curvature, product, work);
  }
  landscape.prepare_products(1, 0);
  const auto product = [&](const Vector& d, Vector& image) {
    landscape.product(d, image);
    work.spent.hessian_products += 1;
  };
  return least_curvature(region, x, curvature, product, work);
}

// Straight ahead as far as the region goes, or where bounds are in the way, along them.
std::optional<LinePoint> lower_along(const Region& region, Landscape& landscape, const Vector& x,
                                     const Vector& d, double bent, const Vector& curvature, double rounding,
                                     Work& work) {
  const double moved = landscape.look_along(d);
  work.spent.full_gradients += 0.5;
  const double far = moved > 0 ? 1 / moved : std::max(1.0, x.norm()) / d.norm();
  const double longest = std::min(far, longest_feasible(region, region.touched_by(x), x, d));
  auto lower = leave_along(region, landscape, x, d, bent, longest, rounding, work);
  if (lower || longest >= far) return lower;
  RegionProjector projector(region);
  const auto target = projector.project(x + far * d, curvature, Vector(), work, &x);
  if (!target.exact) return std::nullopt;
  const Vector bend = target.x - x;
  landscape.look_along(bend);
  work.spent.full_gradients += 0.5;
  return leave_along(region, landscape, x, bend, 0, 1, rounding, work);
}

}  // namespace

WayDown way_down(const Region& region, Landscape& landscape, const Vector& x, const Vector& curvature,
                 bool dense, bool may_leave, double rounding, Work& work) {
  WayDown out;
  if (!dense && landscape.convex()) return out;
  const FaceCurvature found = curvature_at(region, landscape, x, curvature, dense, work);
  if (!std::isfinite(found.least)) return out;
  out.least_curvature = found.least;
  if (!may_leave || landscape.convex() || found.least > negative || found.direction.size() == 0) return out;
  Vector d = found.direction;
  if (landscape.gradient().dot(d) > 0) d = -d;
  const double bent = found.least * d.dot(curvature.cwiseProduct(d));
  out.point = lower_along(region, landscape, x, d, bent, curvature, rounding, work);
  if (!out.point) out.point = lower_along(region, landscape, x, -d, bent, curvature, rounding, work);
  return out;
}

}  // namespace bridle::second
