// The scale of every row and of every variable at a point: what an error is measured against, so that no
// verdict depends on units. docs/certificate.md derives them.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "bridle/certify/evaluation.hpp"

namespace bridle {

// A x.
using Activity = WideVector;
Activity activity_of(const SparseRows& matrix, const Vector& x);

// Y_i: the multiplier that would pay for the cheapest variable of the row, `cost` what each is worth per
// unit. Where all variables of a row cost nothing, each is worth what its dearest row pays for it: prices
// spread from row to row. Infinite where none arrives.
Vector natural_multipliers(const SparseRows& matrix, const Vector& cost);

// What the scales need of the problem itself, whatever the point; o is the projection of 0 onto X.
struct ProblemScales {
  Vector origin;            // o
  Evaluation at_origin;     // grad f(o) and f(o); not used where it is not finite
  Vector curvature;         // H_j; empty: the objective does not tell
  bool has_origin = false;  // f and its gradient are finite there

  static ProblemScales of(const Problem& problem, Index batch, std::uint64_t seed);

  // Near a pole of f its gradient is no scale for anything. Where f itself changes by less than a thousandth
  // of what the gradient at o promises, o is brought half way to x, as long as that takes away thousands
  // where a quadratic's bending falls by 4. Nothing: o stays. `gradients` counts what was asked.
  std::optional<ProblemScales> away_from_poles(const AnyObjective& objective, const Vector& x,
                                               const Evaluation& at, Index batch, std::uint64_t seed,
                                               Index& gradients) const;
};

// a / b with 0 / 0 = 0.
inline double ratio(double a, double b) { return a == 0 ? 0 : a / b; }

// The scale of a distance to `bound`: a bound that is not 0 is its own scale, down to the rounding of what is
// added up; a bound of 0 has the scale of what is added up, down to a share of what could be.
inline double distance_scale(double bound, double sum, double could_be) {
  constexpr double rounding = 1e-11, share = 1e-4;
  return bound != 0 ? std::max(std::abs(bound), rounding * sum) : std::max(sum, share * could_be);
}

class PointScales {
 public:
  PointScales(const Problem& problem, const SetShape& shape, const ProblemScales& known, const Vector& x,
              const Evaluation& at, const Activity& activity);

  // s_i for a distance to this bound of a row, or of a variable with value x.
  double row(Index i, double bound) const { return distance_scale(bound, row_sum_[i], row_could_be_[i]); }
  double variable(Index j, double bound, double x) const {
    return distance_scale(bound, std::abs(x), size_[j]);
  }
  // X_j; the same within a block.
  double size(Index j) const { return size_[j]; }
  // Nothing speaks of the size of a variable in no row: a gap to a bound of 0 counts with its worth alone.
  bool in_rows(Index j) const { return in_rows_[static_cast<std::size_t>(j)]; }
  // Whether f is curved along the variable, as far as it tells.
  bool bends(Index j) const { return curvature_.size() == 0 || curvature_[j] > 0; }
  // D_j; the same within a block.
  const Vector& stationarity() const { return stationarity_; }
  // F: what of the objective is at stake, with these multipliers.
  double worth(const Vector& y) const;

  bool finite() const;

 private:
  void measure_rows(const Vector& x, const Activity& activity, const Vector& reach);
  void price_what_costs_nothing(const Vector& gradient);

  const Rows& rows_;
  const Vector& curvature_;
  Vector row_sum_;       // sum_k |a_ik x_k|
  Vector row_could_be_;  // max_k |a_ik| X_k
  Vector row_price_;     // Y_i, the natural multiplier
  Vector size_, stationarity_;
  std::vector<bool> in_rows_;
  double least_worth_ = 0;  // of F, without multipliers
};

}  // namespace bridle
