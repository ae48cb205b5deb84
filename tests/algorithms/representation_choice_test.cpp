// Which representation is chosen for a stage, what is said of it, and what of those that were not.
#include <gtest/gtest.h>

#include "bridle/core/formatted.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/algorithms/linear_case.hpp"

namespace bridle {
namespace {

using test::Case;
using test::choice_for;
using test::columns_of;
using test::make_problem;
using test::n;
using test::samples;
using test::scaling_of;
using test::steps;

// The whole line, as reports and docs quote it.
TEST(RepresentationChoice, SaysWhyNotACheaperOne) {
  const Stage stage{steps, {}, 100};
  const auto why = [&](const Case& c, const Stage& of, std::string_view algorithm = "smoothed") {
    const Problem problem = make_problem(c);
    const StandardForm form(problem, scaling_of(c));
    return choice_for(algorithm, form, of).why;
  };
  EXPECT_EQ(why({""}, stage), "lazy iterate: a step touches the sample's nonzeros only");
  EXPECT_EQ(why({.name = "", .ridge = 0.1}, stage),
            "lazy iterate: a step touches the sample's nonzeros only");
  Scaling all_different;
  all_different.columns = columns_of(n, false);
  EXPECT_EQ(
      choice_for("smoothed", StandardForm(make_problem({.name = "", .ridge = 0.1}), all_different), stage)
          .why,
      "fused iterate: one pass over all variables; not lazy: the ridge takes more than 64 values on the "
      "scaled variables");
  Stage long_steps = stage, fixed_z = stage;
  long_steps.parameters.tau = 0.8;
  fixed_z.parameters.beta = 0;
  for (const Stage& of : {long_steps, fixed_z})
    EXPECT_EQ(
        why({""}, of),
        "fused iterate: one pass over all variables; not lazy: beta is not in proportion to tau, or the "
        "steps are too long");

  Stage estimating = stage, nearly_no_estimate = stage;
  estimating.parameters.alpha = 0.3;
  nearly_no_estimate.parameters.alpha = 1e-6;  // x would be a small difference of large numbers
  EXPECT_EQ(why({""}, estimating, "storm"),
            "lazy iterate: a step touches the nonzeros of what is drawn only");
  EXPECT_EQ(why({""}, nearly_no_estimate, "storm"),
            "dense iterate: passes over all variables; not lazy: two of the rates nearly agree");

  Problem bounded = make_problem({""});
  bounded.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1)));
  EXPECT_EQ(choice_for("smoothed", StandardForm(bounded, {}), stage).why,
            "fused iterate: one pass over all variables; not lazy: every step would touch 60 bounded "
            "variables that "
            "rows, ridge or z push");
  EXPECT_EQ(why({.name = "", .bounded_in_rows = 9, .short_rows = 20}, stage),
            "lazy iterate: a step touches the sample's nonzeros only, but for 9 bounded variables that rows, "
            "ridge or z push, and 12 variables of short rows");

  Problem simplex = make_problem({""});
  simplex.within(Simplex(n));
  EXPECT_EQ(choice_for("smoothed", StandardForm(simplex, {}), stage).why,
            "dense iterate: X is no box; not lazy: X is no box");
}

TEST(RepresentationChoice, WarnsOfStepsThatCostMuchMoreThanTheSample) {
  constexpr Index columns = 2000;
  const SparseRows data = test::random_sparse(samples, columns, 0.005, 1).sparseView();
  const double nonzeros = static_cast<double>(data.nonZeros()) / samples;
  Problem problem(LinearModel(data, Vector::Ones(samples), LogisticLoss{}));
  problem.subject_to(Matrix::Ones(1, columns), test::vec(-1), test::vec(1));
  const Stage stage{steps, {}, 100};
  EXPECT_EQ(choice_for("smoothed", StandardForm(problem, {}), stage).warning, "");
  Vector lower = Vector::Constant(columns, -infinity), upper = Vector::Constant(columns, infinity);
  lower.head(300).setZero();
  problem.within(Box(lower, upper));
  EXPECT_EQ(choice_for("smoothed", StandardForm(problem, {}), stage).warning,
            formatted("a step touches %.0f numbers, where a sample has %.3g: 300 bounded variables that "
                      "rows, ridge or z push",
                      300 + nonzeros, nonzeros));
  problem.within(Box(Vector::Zero(columns), upper));
  EXPECT_EQ(
      choice_for("smoothed", StandardForm(problem, {}), stage).warning,
      formatted("a step touches 2000 numbers, where a sample has %.3g: every step would touch 2000 bounded "
                "variables that rows, ridge or z push",
                nonzeros));
}

TEST(RepresentationChoice, SaysNothingWhereThereIsNoChoice) {
  const Stage stage{steps, {}, 100};
  Problem quadratic(Quadratic(test::sparse(Matrix::Identity(n, n)), test::random_vector(n, 2)));
  const StandardForm form(quadratic, {});
  for (const auto& algorithm : all_algorithms()) {
    const auto choice = choice_for(algorithm.name, form, stage);
    EXPECT_EQ(choice.representation, &algorithm.plain());
    EXPECT_EQ(choice.why, "");
  }
}

}  // namespace
}  // namespace bridle
