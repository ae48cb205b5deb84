// Exact projections onto the region in a diagonal metric, fast from a good guess of the multipliers.
#pragma once

#include "bridle/finish/feasible_set.hpp"
#include "bridle/second/region.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

class RegionProjector {
 public:
  explicit RegionProjector(const Region& region) : region_(region) {}

  struct Projection {
    Vector x, multipliers;  // M (x - centre) + A'y in the negative normal cone of the bounds at x
    bool exact = false;
  };
  // argmin of (x - centre)' M (x - centre) / 2. Newton's method on the dual; where it fails, an interior
  // point.
  // `near`, a point of the region, helps with its scale.
  Projection project(const Vector& centre, const Vector& metric, const Vector& first_multipliers, Work& work,
                     const Vector* near = nullptr);

 private:
  bool wrong_sign(Index i, double y, const Face& face) const;
  Vector newton_change(const Vector& metric, const Vector& off, const Vector& y, double held_share,
                       Face& face) const;
  bool newton(const Vector& centre, const Vector& weight, Projection& out, Work& work) const;

  const Region& region_;
  std::optional<FeasibleSet> slow_;
  bool asked_ = false;
};

}  // namespace bridle::second
