#include "bridle/problem/problem.hpp"

#include <cmath>
#include <unordered_set>

#include "bridle/core/error.hpp"
#include "bridle/problem/sets/box.hpp"

namespace bridle {
namespace {

std::string number(Index k) { return std::to_string(k); }

void check_dimension(const char* what, Index got, Index wanted) {
  if (got != wanted)
    throw InputError(std::string(what) + " has dimension " + number(got) + " but the objective has " +
                     number(wanted) + " variables");
}

void check_unique(const Names& names, const char* what) {
  std::unordered_set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second) throw InputError(std::string(what) + " name '" + name + "' is used twice");
}

void check_bounds(const std::string& name, double lower, double upper) {
  if (std::isnan(lower) || std::isnan(upper) || lower == infinity || upper == -infinity)
    throw InputError("row '" + name + "' has bounds " + std::to_string(lower) + " and " +
                     std::to_string(upper) +
                     "; a lower bound below +inf and an upper bound above -inf are required");
  if (lower > upper)
    throw InputError("row '" + name + "' has lower bound " + std::to_string(lower) +
                     " above its upper bound " + std::to_string(upper));
}

void check_rows(const Rows& rows) {
  for (Index i = 0; i < rows.count(); ++i) {
    const auto& name = rows.names[static_cast<std::size_t>(i)];
    check_bounds(name, rows.lower[i], rows.upper[i]);
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it)
      if (!std::isfinite(it.value()))
        throw InputError("row '" + name + "' has a coefficient that is not finite");
  }
}

Names joined(Names first, const Names& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Vector joined(const Vector& first, const Vector& second) {
  Vector out(first.size() + second.size());
  out << first, second;
  return out;
}

}  // namespace

Problem::Problem(AnyObjective objective)
    : objective_(std::move(objective)),
      set_(WholeSpace(objective_.dimension())),
      smooth_(std::make_shared<SmoothRows>()),
      expected_right_(std::make_shared<Vector>()) {
  if (dimension() < 1) throw InputError("the objective has no variables; at least 1 is required");
  Rows none;
  none.matrix.resize(0, dimension());
  rows_ = std::make_shared<Rows>(std::move(none));
  Names names = objective_.variable_names();
  if (names.empty())
    for (Index j = 0; j < dimension(); ++j) names.push_back("x" + number(j + 1));
  variable_names_ = std::make_shared<Names>(std::move(names));
}

Problem& Problem::within(AnySet set) {
  check_dimension("the set X", set.dimension(), dimension());
  set_ = std::move(set);
  return *this;
}

Problem& Problem::subject_to(const Matrix& matrix, const Vector& lower, const Vector& upper, Names names) {
  return subject_to(SparseRows(matrix.sparseView()), lower, upper, std::move(names));
}

Problem& Problem::subject_to(const SparseRows& matrix, const Vector& lower, const Vector& upper,
                             Names names) {
  check_dimension("the constraint matrix A", matrix.cols(), dimension());
  if (stochastic_) throw InputError("state the deterministic rows before the stochastic ones");
  const Rows& before = rows();
  const Index old = before.count(), added = matrix.rows();
  if (lower.size() != added || upper.size() != added)
    throw InputError("the constraint matrix A has " + number(added) + " rows but there are " +
                     number(lower.size()) + " lower and " + number(upper.size()) + " upper bounds");
  if (names.empty())
    for (Index i = 0; i < added; ++i) names.push_back("row" + number(old + i + 1));
  if (static_cast<Index>(names.size()) != added)
    throw InputError("the constraint matrix A has " + number(added) + " rows but there are " +
                     number(static_cast<Index>(names.size())) + " row names");

  Rows all{stacked(before.matrix, matrix), joined(before.lower, lower), joined(before.upper, upper),
           joined(before.names, names)};
  check_unique(joined(all.names, smooth_->names), "row");
  check_rows(all);
  rows_ = std::make_shared<Rows>(std::move(all));
  return *this;
}

Problem& Problem::subject_to_expected(AnyStochasticRows stochastic, const Vector& lower, const Vector& upper,
                                      Names names) {
  if (stochastic_) throw InputError("there is a block of stochastic rows already; put all of them into one");
  if (has_smooth_rows()) throw InputError("smooth rows and rows known through draws do not go together");
  const auto known = stochastic.mean();
  const MeanRows mean = known ? *known : estimate_mean(stochastic, 10'000, Stream(0, Purpose::constraint_1));
  const Index begin = rows().count();
  if (lower.size() != stochastic.count() || upper.size() != stochastic.count())
    throw InputError("there are " + number(stochastic.count()) + " stochastic rows but " +
                     number(lower.size()) + " lower and " + number(upper.size()) + " upper bounds");
  subject_to(mean.matrix, lower + mean.right, upper + mean.right, std::move(names));
  stochastic_ = std::move(stochastic);
  stochastic_begin_ = begin;
  expected_right_ = std::make_shared<Vector>(mean.right);
  return *this;
}

Problem& Problem::subject_to_smooth(AnySmoothConstraint constraint, const Vector& lower, const Vector& upper,
                                    Names names) {
  check_dimension("the smooth constraint", constraint.dimension(), dimension());
  if (stochastic_) throw InputError("smooth rows and rows known through draws do not go together");
  const Index old = smooth_->count(), added = constraint.count();
  if (lower.size() != added || upper.size() != added)
    throw InputError("the smooth constraint has " + number(added) + " rows but there are " +
                     number(lower.size()) + " lower and " + number(upper.size()) + " upper bounds");
  if (names.empty()) names = constraint.row_names();
  if (names.empty())
    for (Index i = 0; i < added; ++i) names.push_back("smooth" + number(old + i + 1));
  if (static_cast<Index>(names.size()) != added)
    throw InputError("the smooth constraint has " + number(added) + " rows but there are " +
                     number(static_cast<Index>(names.size())) + " row names");
  for (Index i = 0; i < added; ++i) check_bounds(names[static_cast<std::size_t>(i)], lower[i], upper[i]);
  SmoothRows all{smooth_->blocks, joined(smooth_->lower, lower), joined(smooth_->upper, upper),
                 joined(smooth_->names, names)};
  all.blocks.push_back(std::move(constraint));
  check_unique(joined(rows().names, all.names), "row");
  smooth_ = std::make_shared<SmoothRows>(std::move(all));
  return *this;
}

Names Problem::row_names() const { return joined(rows().names, smooth_->names); }

Problem Problem::with_all_rows(Rows rows) const {
  check_dimension("the constraint matrix A", rows.matrix.cols(), dimension());
  Problem copy = *this;
  copy.rows_ = std::make_shared<Rows>(std::move(rows));
  copy.smooth_ = std::make_shared<SmoothRows>();
  return copy;
}

Problem Problem::linearised(const Vector& w, const SmoothPoint& at) const {
  const Vector shift = at.jacobian * w - at.value;
  return with_all_rows({stacked(rows().matrix, at.jacobian), joined(rows().lower, smooth_->lower + shift),
                        joined(rows().upper, smooth_->upper + shift), row_names()});
}

Problem Problem::with_rows(const SparseRows& matrix, const Vector& lower, const Vector& upper) const {
  Problem copy = *this;
  copy.rows_ = std::make_shared<Rows>(Rows{matrix, lower, upper, rows().names});
  return copy;
}

Problem Problem::with_objective(AnyObjective objective) const {
  check_dimension("the other objective", objective.dimension(), dimension());
  Problem copy = *this;
  copy.objective_ = std::move(objective);
  return copy;
}

Problem& Problem::name_variables(Names names) {
  check_dimension("the list of variable names", static_cast<Index>(names.size()), dimension());
  check_unique(names, "variable");
  variable_names_ = std::make_shared<Names>(std::move(names));
  return *this;
}

Problem& Problem::start_from(Vector x) {
  check_dimension("the starting point", x.size(), dimension());
  if (!x.allFinite()) throw InputError("the starting point has an entry that is not finite");
  start_ = std::make_shared<Vector>(std::move(x));
  return *this;
}

Vector Problem::starting_point() const {
  Vector x = start_ ? *start_ : Vector(Vector::Zero(dimension()));
  set_.project(x);
  return x;
}

}  // namespace bridle
