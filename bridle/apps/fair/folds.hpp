// Parts of the training data: held out to measure on, or in turn, for figures and probabilities that the
// model has not learnt by heart.
#pragma once

#include <functional>

#include "bridle/apps/fair/classifier.hpp"
#include "bridle/apps/fair/fit.hpp"

namespace bridle {

// These rows of a data set, whose features may lie elsewhere.
FairData part_of(const FairData& data, const Features& features, const std::vector<Index>& rows);

// Rows for training and rows held out; which ones depends on the seed and the numbers alone.
struct Split {
  std::vector<Index> train, held_out;
};
Split split_off(Index rows, double share, std::uint64_t seed);
// Part `number` of `count` is held out.
Split fold_of(Index rows, int number, int count, std::uint64_t seed);

// The training data without the held-out part, which becomes the test data.
struct Validation {
  TrainingData training;
  FairData held_out;
};
Validation validation_of(TrainingData all, double share, std::uint64_t seed);

// Every person is scored by a model that was trained without them.
struct CrossValidation {
  int folds = 0;
  Metrics held_out;                 // over all of them
  std::vector<double> accuracies;   // of each fold
  std::optional<RateSpread> rates;  // of models with bounds on rates
  Classifier::Platt platt;          // probabilities from held-out scores
};
using Trainer = std::function<Fit(const FairProblem&, const FairData* held_out)>;
// The data is the problem's; what is trained on it is up to the statement.
CrossValidation cross_validate(const FairProblem& problem, const DataStatement& data,
                               const FairStatement& statement, int folds, std::uint64_t seed,
                               const Trainer& train, const RateStatement* rates);
// The same data with another statement. Takes a copy.
FairProblem restated(const FairProblem& problem, const DataStatement& data, const FairStatement& statement);

// Platt's scaling: logistic regression of the labels on the scores, with targets drawn in from 0 and 1.
Classifier::Platt fit_platt(const Vector& scores, const Vector& labels);

}  // namespace bridle
