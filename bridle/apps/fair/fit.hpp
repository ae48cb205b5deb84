// Training: the model with the bounds, the model without, and their figures.
#pragma once

#include <optional>

#include "bridle/apps/fair/fair_problem.hpp"
#include "bridle/apps/fair/metrics.hpp"
#include "bridle/apps/fair/rate_fit.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {

// One fairness row of a fitted model.
struct RowFigures {
  std::string row, attribute, condition;
  std::string group;           // empty for attributes with two groups, which have one row: the first group's
  double bound = infinity;     // as requested, in covariance
  double train = 0;            // covariance achieved on the training data ...
  std::optional<double> test;  // ... and on the test data; NaN where nobody there is to be told apart
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
  std::vector<Progress> history;     // some 200 looks at the run, where its observer wants progress
  std::optional<RateFigures> rates;  // of a model with bounds on rates
  Names warnings;                    // why nobody should use it

  double largest_covariance() const;                      // on the training data
  std::optional<double> largest_test_covariance() const;  // of those measured; NaN without any
};

// `bounds` has one entry per row of the problem; empty: train without the fairness rows.
Fit fit(const FairProblem& problem, const FairData* test, const Vector& bounds, const SolveOptions& options,
        Observer* observer = nullptr);
// With bounds on rates.
Fit fit_to_rates(const FairProblem& problem, const FairData* test, const RateStatement& request,
                 const SolveOptions& options, Observer* observer = nullptr);

// One line for a classifier that decides the same for everybody, or ranks people worse than chance.
Names warnings_about(const Metrics& metrics, const std::string& data);

}  // namespace bridle
