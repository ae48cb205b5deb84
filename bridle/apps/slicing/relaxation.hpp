// The relaxation of a placement, 0 <= x <= 1, with a smooth concave charge for fractions that grows in
// stages; every stage is a run of the library's own solver that starts where the one before it ended.
#pragma once

#include <functional>

#include "bridle/apps/slicing/formulation.hpp"

namespace bridle {

// What a stage ended with.
struct StagePoint {
  double sigma = 0;    // weight of the charge
  Vector x;            // all variables of the formulation
  Vector multipliers;  // of all rows, in the solver's units
  Vector link_prices;  // of the links' capacities, >= 0, in units of the cost
  double decided = 0;  // part of the functions with a host of more than 0.95
  std::uint64_t iterations = 0;
};

class Relaxation {
 public:
  // With `sampled`, draws of the capacity rows, Algorithm 2 solves the stages; without, Algorithm 1.
  // `stop` ends a stage early, wherever it is.
  explicit Relaxation(const Formulation& formulation, std::optional<AnyStochasticRows> sampled = {},
                      std::function<bool()> stop = {});

  // The stage without a charge.
  StagePoint start(std::uint64_t seed) const;
  // The stages with a charge, from that end, disturbed by the seed. A visitor that returns false ends them.
  void continue_from(const StagePoint& start, std::uint64_t seed,
                     const std::function<bool(const StagePoint&)>& visit) const;

 private:
  StagePoint stage(double sigma, const Vector& x, const Vector& y, std::uint64_t iterations,
                   std::uint64_t seed) const;

  const Formulation& formulation_;
  std::optional<AnyStochasticRows> sampled_;
  std::function<bool()> stop_;
};

}  // namespace bridle
