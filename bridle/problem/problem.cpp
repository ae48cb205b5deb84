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

void check_rows(const Rows& rows) {
  for (Index i = 0; i < rows.count(); ++i) {
    const auto& name = rows.names[static_cast<std::size_t>(i)];
    const double lower = rows.lower[i], upper = rows.upper[i];
    if (std::isnan(lower) || std::isnan(upper) || lower == infinity || upper == -infinity)
      throw InputError("row '" + name + "' has bounds " + std::to_string(lower) + " and " +
                       std::to_string(upper) +
                       "; a lower bound below +inf and an upper bound above -inf are required");
    if (lower > upper)
      throw InputError("row '" + name + "' has lower bound " + std::to_string(lower) +
                       " above its upper bound " + std::to_string(upper));
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it)
      if (!std::isfinite(it.value()))
        throw InputError("row '" + name + "' has a coefficient that is not finite");
  }
}

}  // namespace

Problem::Problem(AnyObjective objective)
    : objective_(std::move(objective)),
      set_(WholeSpace(objective_.dimension())),
      expected_right_(std::make_shared<Vector>()) {
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

  Rows all;
  all.matrix.resize(old + added, dimension());
  all.matrix.reserve(before.matrix.nonZeros() + matrix.nonZeros());
  for (const SparseRows* part : {&before.matrix, &matrix})
    for (Index i = 0; i < part->rows(); ++i) {
      const Index row = part == &matrix ? old + i : i;
      all.matrix.startVec(row);
      for (SparseRows::InnerIterator it(*part, i); it; ++it)
        if (it.value() != 0) all.matrix.insertBack(row, it.col()) = it.value();
    }
  all.matrix.finalize();
  all.lower.resize(old + added);
  all.upper.resize(old + added);
  all.lower << before.lower, lower;
  all.upper << before.upper, upper;
  all.names = before.names;
  all.names.insert(all.names.end(), names.begin(), names.end());
  check_unique(all.names, "row");
  check_rows(all);
  rows_ = std::make_shared<Rows>(std::move(all));
  return *this;
}

Problem& Problem::subject_to_expected(AnyStochasticRows stochastic, const Vector& lower, const Vector& upper,
                                      Names names) {
  if (stochastic_) throw InputError("there is a block of stochastic rows already; put all of them into one");
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
