#include "bridle/problem/problem.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

Problem of_dimension(Index n) {
  return Problem(Quadratic(test::sparse(Matrix::Identity(n, n)), Vector::Zero(n)));
}

TEST(Problem, RowsAddUp) {
  Problem problem = of_dimension(3);
  Matrix first(2, 3), second(1, 3);
  first << 1, 0, 2, 0, 0, 0;
  second << 0, -3, 0;
  problem.subject_to(first, vec(-1, 0), vec(4, infinity));
  problem.subject_to(SparseRows(second.sparseView()), vec(5), vec(5), {"last"});
  const Rows& rows = problem.rows();
  Matrix all(3, 3);
  all << first, second;
  EXPECT_EQ(Matrix(rows.matrix), all);
  EXPECT_EQ(rows.matrix.nonZeros(), 3) << "zeros are not stored";
  EXPECT_EQ(rows.lower, vec(-1, 0, 5));
  EXPECT_EQ(rows.upper, vec(4, infinity, 5));
  EXPECT_EQ(rows.names, (Names{"row1", "row2", "last"}));
  EXPECT_FALSE(rows.is_equality(0));
  EXPECT_TRUE(rows.is_equality(2));
  EXPECT_EQ(problem.variable_names(), (Names{"x1", "x2", "x3"}));
}

TEST(Problem, StartingPointIsInTheSet) {
  Problem problem = of_dimension(2);
  EXPECT_EQ(problem.starting_point(), vec(0, 0));
  problem.within(Box(vec(1, -5), vec(2, -4)));
  EXPECT_EQ(problem.starting_point(), vec(1, -4));
  problem.start_from(vec(1.5, 7));
  EXPECT_EQ(problem.starting_point(), vec(1.5, -4));
}

TEST(Problem, WithoutVariablesIsRefused) {
  struct Nothing {
    Index dimension() const { return 0; }
    Index sample_count() const { return 1; }
    void gradient(ConstVectorRef, Sample, VectorRef) const {}
    double value(ConstVectorRef, Sample) const { return 0; }
  };
  test::expect_contains(test::refusal([] { const Problem problem{Nothing()}; }),
                        "the objective has no variables");
}

TEST(Problem, InputErrors) {
  Matrix rows(2, 3);
  rows << 1, 2, 3, 4, 5, 6;
  Matrix broken = rows;
  broken(1, 1) = std::nan("");
  const Vector zero = vec(0, 0), one = vec(1, 1);
  const double nan = std::nan("");
  const Names names = {"flow", "demand"};
  const auto refusal = [&](auto&& change) {
    return test::refusal([&] {
      Problem problem = of_dimension(3);
      problem.subject_to(Matrix(Matrix::Ones(1, 3)), vec(0), vec(1), {"cap"});
      change(problem);
    });
  };
  const auto rows_refusal = [&](const Matrix& matrix, const Vector& lower, const Vector& upper,
                                const Names& given) {
    return refusal([&](Problem& problem) { problem.subject_to(matrix, lower, upper, given); });
  };
  using test::expect_contains;
  expect_contains(rows_refusal(rows, vec(0, 2), vec(1, 1.5), names), "row 'demand' has lower bound 2.0");
  expect_contains(rows_refusal(rows, vec(0, nan), one, names), "row 'demand' has bounds nan");
  expect_contains(rows_refusal(rows, vec(infinity, 0), vec(infinity, 1), names), "row 'flow' has bounds inf");
  expect_contains(rows_refusal(rows, zero, vec(1, -infinity), names), "row 'demand'");
  expect_contains(rows_refusal(broken, zero, one, names),
                  "row 'demand' has a coefficient that is not finite");
  broken(1, 1) = infinity;
  expect_contains(rows_refusal(broken, zero, one, names),
                  "row 'demand' has a coefficient that is not finite");
  expect_contains(rows_refusal(broken, zero, one, {}), "row 'row3'");
  expect_contains(rows_refusal(rows, zero, one, {"flow", "flow"}), "'flow' is used twice");
  expect_contains(rows_refusal(rows, zero, one, {"flow", "cap"}), "'cap' is used twice");
  expect_contains(rows_refusal(rows, zero, one, {"flow"}), "2 rows but there are 1 row names");
  expect_contains(rows_refusal(rows, vec(0), one, names), "2 rows but there are 1 lower and 2 upper bounds");
  expect_contains(rows_refusal(rows.leftCols(2), zero, one, names), "dimension 2 but the objective has 3");
  expect_contains(refusal([](Problem& p) { p.within(WholeSpace(4)); }), "the set X has dimension 4");
  expect_contains(refusal([](Problem& p) { p.start_from(vec(1)); }), "the starting point has dimension 1");
  expect_contains(refusal([=](Problem& p) { p.start_from(vec(1, nan, 1)); }), "not finite");
  expect_contains(refusal([](Problem& p) { p.name_variables({"a", "b", "a"}); }), "'a' is used twice");
  expect_contains(refusal([](Problem& p) { p.name_variables({"a", "b"}); }), "has dimension 2");
}

TEST(Problem, ARefusalChangesNothing) {
  Problem problem = of_dimension(2);
  problem.subject_to(Matrix(Matrix::Identity(2, 2)), vec(0, 0), vec(1, 1));
  EXPECT_THROW(problem.subject_to(Matrix(Matrix::Ones(1, 2)), vec(2), vec(1)), InputError);
  EXPECT_EQ(problem.rows().count(), 2);
  EXPECT_EQ(problem.rows().names.size(), 2U);
}

TEST(Box, InputErrors) {
  using test::expect_contains;
  expect_contains(test::refusal([] { Box(vec(0, 2), vec(1, 1)); }), "variable 1 has lower bound 2.0");
  expect_contains(test::refusal([] { Box(vec(0, std::nan("")), vec(1, 1)); }), "variable 1");
  expect_contains(test::refusal([] { Box(vec(infinity), vec(infinity)); }), "variable 0");
  expect_contains(test::refusal([] { Box(vec(0), vec(1, 1)); }), "1 lower bounds but 2 upper");
}

}  // namespace
}  // namespace bridle
