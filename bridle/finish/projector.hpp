// Projections onto { x in X, l <= A x <= u } that also serve rows that are many more than the variables.
//
// Only few of very many rows can matter to one projection. So project onto some of them, add the ones the
// point breaks most, and repeat: when none is broken, this is the projection onto all. The selection is kept
// for the next point, which is near.
#pragma once

#include "bridle/finish/feasible_set.hpp"

namespace bridle {

class Projector {
 public:
  // Nothing when X has no linear description, or the system is too large to factorise.
  static std::optional<Projector> of(const Problem& problem);

  // As FeasibleSet::project; x is not finite when the selection grew too large.
  FeasibleSet::Projection project(const Vector& centre, const Vector& metric, const Vector* near = nullptr,
                                  FeasibleSet::Step step = FeasibleSet::Step::in_even_units);
  // How often that was asked for.
  int projections() const { return projections_; }

 private:
  explicit Projector(const Problem& problem, LinearDescription set)
      : rows_(problem.rows()), set_(std::move(set)) {}
  void select(const std::vector<Index>& more);
  std::vector<Index> most_broken(const Vector& x, Index count) const;

  const Rows& rows_;
  LinearDescription set_;
  bool all_ = false;
  int projections_ = 0;
  std::vector<Index> selection_;  // rows of the problem
  std::vector<char> selected_;
  std::optional<FeasibleSet> feasible_;
};

}  // namespace bridle
