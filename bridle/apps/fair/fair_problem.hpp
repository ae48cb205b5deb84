// A fair classifier as a problem: a linear model or a small network over the data, covariance rows, further
// linear constraints.
#pragma once

#include <memory>
#include <optional>

#include "bridle/apps/fair/bounds.hpp"
#include "bridle/apps/fair/fair_data.hpp"
#include "bridle/apps/fair/scorer.hpp"
#include "bridle/io/linear_program.hpp"
#include "bridle/problem/objectives/neural_model.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

// |mean over the kept samples of (z_i - zbar) score_i| <= bound: z says who is in the group, or is the number
// itself.
struct FairRow {
  std::string name;  // of the problem's row: cov_ATTRIBUTE, cov_ATTRIBUTE.GROUP, with .within.CONDITION
  std::size_t attribute = 0, condition = 0;
  std::int32_t group = -1;  // -1: a numeric attribute

  // The c_i with covariance = sum_i c_i score_i; all zero when z is constant over the kept samples.
  Vector coefficients(const FairData& data) const;
};

struct FairStatement {
  Loss loss = LogisticDifferenceLoss{};
  double ridge = 1e-4;           // the intercept goes free
  std::string constraints_file;  // LP or MPS rows and bounds on the weights by name; empty: none
  Hidden hidden = {};            // units of a network's layers; none: a linear model
};

class FairProblem {
 public:
  // Takes the training data over: its features and labels live in the model from now on.
  FairProblem(TrainingData training, const DataStatement& data, const FairStatement& statement);

  // The data with loss and ridge, which is the model itself unless that is a network.
  const LinearModel& model() const { return model_; }
  const NeuralModel* network() const { return network_ ? &*network_ : nullptr; }
  // The model, or with weights of the rows the weighted one.
  const AnyObjective& objective() const { return objective_; }
  Index weight_count() const { return objective_.dimension(); }
  // Scores of the training data, and of any.
  const Scorer& scorer() const { return *scorer_; }
  Vector scores(const Features& features, const Vector& weights) const;
  const Features& features() const { return model_.features(); }  // of the training data
  const TrainingData& training() const { return training_; }
  const std::vector<FairRow>& rows() const { return rows_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  const FairStatement& statement() const { return statement_; }

  // Covariance of each row for the weights.
  Vector covariances(const Vector& weights) const;
  // With the further constraints, but without the fairness rows.
  Problem without_bounds() const;
  // The fairness rows come first; one bound per row. Of a network they are smooth rows. The problem must not
  // outlive this.
  Problem with_bounds(const Vector& bounds) const;
  // Bounds in covariance; `free` has the covariances of the model without bounds, for relative ones. A
  // relative bound of an attribute with several rows is a fraction of the largest of them.
  Vector resolve(const BoundList& bounds, const Vector& free) const;

  // The constraint that weights cannot meet together with the others, and by how much the best attempt misses
  // it.
  struct Contradiction {
    std::string row;
    double violation = 0;
  };
  static std::optional<Contradiction> contradiction(const Problem& problem);

 private:
  void add_constraints(Problem& problem) const;

  TrainingData training_;
  std::vector<Condition> conditions_;
  FairStatement statement_;
  LinearModel model_;
  std::optional<NeuralModel> network_;
  AnyObjective objective_;
  std::shared_ptr<const Scorer> scorer_;
  std::vector<FairRow> rows_;
  Matrix matrix_;
  std::optional<io::LinearProgram> program_;
};

}  // namespace bridle
