#include "bridle/apps/fair/fair_problem.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/apps/data/covariance.hpp"
#include "bridle/apps/data/program_rows.hpp"
#include "bridle/core/error.hpp"
#include "bridle/finish/feasible_set.hpp"
#include "bridle/problem/objectives/weighted_model.hpp"
#include "bridle/problem/sets/box.hpp"

namespace bridle {
namespace {

LinearModel make_model(TrainingData& training, const FairStatement& statement) {
  return {std::move(training.data.features), training.data.labels, statement.loss,
          ridge_weights(statement.ridge, training.encoding.names), training.encoding.names};
}

std::optional<NeuralModel> make_network(const LinearModel& data, const Hidden& hidden,
                                        const Vector& weights) {
  if (hidden.empty()) return {};
  return NeuralModel(data, hidden, weights);
}

AnyObjective make_objective(const LinearModel& model, const std::optional<NeuralModel>& network,
                            const Vector& weights) {
  if (network) return *network;
  if (weights.size() == 0) return model;
  return WeightedModel(model, weights);
}

// Covariances of a score that need not be linear in the weights: sum_i c_ri score_i(w).
class CovarianceRows {
 public:
  // The scorer must outlive it. `coefficients` has a column per row.
  CovarianceRows(const Scorer& scorer, Matrix coefficients)
      : scorer_(scorer), coefficients_(std::move(coefficients)) {}

  Index dimension() const { return scorer_.weights(); }
  Index count() const { return coefficients_.cols(); }
  void value(ConstVectorRef w, VectorRef out) const { out = coefficients_.transpose() * scorer_.scores(w); }
  void jacobian(ConstVectorRef w, Matrix& out) const {
    Vector gradient;
    for (Index r = 0; r < count(); ++r) {
      scorer_.pull_back(w, coefficients_.col(r), gradient);
      out.row(r) = gradient.transpose();
    }
  }
  void hessian(ConstVectorRef w, ConstVectorRef multipliers, Matrix& out) const {
    scorer_.second_derivatives(w, coefficients_ * multipliers, Vector::Zero(scorer_.people()), out);
  }

 private:
  const Scorer& scorer_;
  Matrix coefficients_;
};

// Two groups need one row: the other's is its negative.
std::vector<FairRow> make_rows(const FairData& data, const std::vector<Condition>& conditions) {
  std::vector<FairRow> out;
  for (std::size_t a = 0; a < data.attributes.size(); ++a) {
    const Attribute& attribute = data.attributes[a];
    const std::size_t count = attribute.numeric || attribute.groups.size() == 2 ? 1 : attribute.groups.size();
    for (std::size_t c = 0; c < conditions.size(); ++c)
      for (std::size_t g = 0; g < count; ++g) {
        std::string name = "cov_" + safe_name(attribute.name);
        if (count > 1) name += "." + safe_name(attribute.groups[g]);
        if (conditions[c].kind != Condition::Kind::all) name += ".within." + safe_name(conditions[c].name());
        out.push_back({name, a, c, attribute.numeric ? -1 : static_cast<std::int32_t>(g)});
      }
  }
  return out;
}

}  // namespace

Vector FairRow::coefficients(const FairData& data) const {
  const Attribute& of = data.attributes[attribute];
  if (group < 0) return covariance_coefficients(of.numbers, data.kept[condition]);
  std::vector<double> member;
  for (const auto code : of.codes) member.push_back(code == group ? 1 : 0);
  return covariance_coefficients(member, data.kept[condition]);
}

FairProblem::FairProblem(TrainingData training, const DataStatement& data, const FairStatement& statement)
    : training_(std::move(training)),
      conditions_(data.conditions),
      statement_(statement),
      model_(make_model(training_, statement)),
      network_(make_network(model_, statement.hidden, training_.data.weights)),
      objective_(make_objective(model_, network_, training_.data.weights)),
      scorer_(make_scorer(model_.features(), statement.hidden)) {
  if (!is_classification(statement.loss))
    throw InputError("the loss '" + std::string(loss_name(statement.loss)) + "' is not for classification");
  for (auto& row : make_rows(training_.data, data.conditions)) {
    const Vector direction = covariance_row(model_.features(), row.coefficients(training_.data));
    // A group that the condition leaves empty, or nothing but it, cannot covary with anything.
    if (direction.isZero(0)) continue;
    matrix_.conservativeResize(matrix_.rows() + 1, direction.size());
    matrix_.bottomRows(1) = direction.transpose();
    rows_.push_back(std::move(row));
  }
  for (std::size_t a = 0; a < training_.data.attributes.size(); ++a)
    if (std::none_of(rows_.begin(), rows_.end(), [&](const FairRow& row) { return row.attribute == a; }))
      throw InputError(training_.data.file, 0,
                       "sensitive column '" + training_.data.attributes[a].name +
                           "' is constant over the samples that --within keeps");
  if (statement.constraints_file.empty()) return;
  if (network_) throw InputError("further constraints are on the weights of linear models, not of networks");
  program_ = io::read_linear_program(statement.constraints_file, io::DefaultBounds::free);
  without_bounds();  // says now what is wrong with the file
}

void FairProblem::add_constraints(Problem& problem) const {
  if (!program_) return;
  Bounds bounds{Vector::Constant(problem.dimension(), -infinity),
                Vector::Constant(problem.dimension(), infinity)};
  add_program(problem, *program_, statement_.constraints_file, bounds);
  if (bounds.lower.maxCoeff() > -infinity || bounds.upper.minCoeff() < infinity)
    problem.within(Box(bounds.lower, bounds.upper));
}

Vector FairProblem::scores(const Features& features, const Vector& weights) const {
  return make_scorer(features, statement_.hidden)->scores(weights);
}

Vector FairProblem::covariances(const Vector& weights) const {
  if (!network_) return matrix_ * weights;
  const Vector scores = scorer_->scores(weights);
  Vector out(static_cast<Index>(rows_.size()));
  for (std::size_t r = 0; r < rows_.size(); ++r)
    out[static_cast<Index>(r)] = rows_[r].coefficients(training_.data).dot(scores);
  return out;
}

Problem FairProblem::without_bounds() const {
  Problem problem{objective_};
  add_constraints(problem);
  return problem;
}

Problem FairProblem::with_bounds(const Vector& bounds) const {
  Problem problem{objective_};
  Names names;
  for (const auto& row : rows_) names.push_back(row.name);
  if (network_) {
    Matrix coefficients(model_.sample_count(), bounds.size());
    for (Index r = 0; r < bounds.size(); ++r)
      coefficients.col(r) = rows_[static_cast<std::size_t>(r)].coefficients(training_.data);
    problem.subject_to_smooth(CovarianceRows(*scorer_, std::move(coefficients)), -bounds, bounds, names);
    return problem;
  }
  problem.subject_to(matrix_, -bounds, bounds, names);
  add_constraints(problem);
  return problem;
}

Vector FairProblem::resolve(const BoundList& bounds, const Vector& free) const {
  Vector out(static_cast<Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Bound bound = bounds.of(training_.data.attributes[rows_[k].attribute].name);
    double unit = 1;
    if (bound.relative) {
      unit = 0;
      for (std::size_t j = 0; j < rows_.size(); ++j)
        if (rows_[j].attribute == rows_[k].attribute && rows_[j].condition == rows_[k].condition)
          unit = std::max(unit, std::abs(free[static_cast<Index>(j)]));
    }
    out[static_cast<Index>(k)] = unit * bound.value;
  }
  return out;
}

std::optional<FairProblem::Contradiction> FairProblem::contradiction(const Problem& problem) {
  const auto feasible = FeasibleSet::of(problem);
  if (!feasible) return {};
  const Vector origin = Vector::Zero(problem.dimension());
  Vector x = feasible->project(origin, Vector::Ones(problem.dimension())).x;
  problem.set().project(x);
  const Rows& rows = problem.rows();
  const Vector activity = rows.matrix * x;
  Contradiction worst;
  for (Index i = 0; i < rows.count(); ++i) {
    const double violation = std::max({0.0, activity[i] - rows.upper[i], rows.lower[i] - activity[i]});
    const double length = rows.matrix.row(i).norm();
    if (violation > worst.violation && violation > 1e-6 * length * (1 + x.norm()))
      worst = {rows.names[static_cast<std::size_t>(i)], violation};
  }
  if (worst.violation == 0) return {};
  return worst;
}

}  // namespace bridle
