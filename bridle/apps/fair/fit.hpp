// Training: the model with the bounds, the model without, and their figures.
#pragma once

#include <optional>

#include "bridle/apps/fair/fair_problem.hpp"
#include "bridle/apps/fair/metrics.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {

// One fairness row of a fitted model.
struct RowFigures {
  std::string row, attribute, condition;
  std::string group;           // empty for attributes with two groups, which have one row: the first group's
  double bound = infinity;     // as requested, in covariance
  double train = 0;            // covariance achieved on the training data ...
  std::optional<double> test;  // ... and on the test data
  double multiplier = 0;       // of the row: |it| is the price
  double price() const {
    return std::abs(multiplier);
  }  // fall of the objective per unit that the bound is loosened
};

struct Fit {
  Result result;
  std::vector<RowFigures> rows;
  Metrics train;
  std::optional<Metrics> test;
  std::vector<Progress> history;  // some 200 looks at the run

  double largest_covariance() const;  // on the training data
  std::optional<double> largest_test_covariance() const;
};

// `bounds` has one entry per row of the problem; empty: train without the fairness rows.
Fit fit(const FairProblem& problem, const FairData* test, const Vector& bounds, const SolveOptions& options,
        Observer* observer = nullptr);

}  // namespace bridle
