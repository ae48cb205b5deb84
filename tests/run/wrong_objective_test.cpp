// An objective of the user's own that is wrong: a run that ends badly says so by itself, with the sample and
// the variable; what is not finite is said before the first step.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::expect_contains;

// |x - c_i|^2 / 2 with c_i near (1, 2), and a mistake.
struct Mistaken {
  double sign = 1;
  Sample bad_gradient = ~Sample{0}, bad_value = ~Sample{0};

  Index dimension() const { return 2; }
  Index sample_count() const { return 10; }
  Vector away(ConstVectorRef x, Sample i) const {
    return x - Vector{{1 + 0.1 * static_cast<double>(i), 2 - 0.1 * static_cast<double>(i)}};
  }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    out = away(x, i);
    out[1] *= sign;
    if (i == bad_gradient) out[1] = std::nan("");
  }
  double value(ConstVectorRef x, Sample i) const {
    return i == bad_value ? std::nan("") : 0.5 * away(x, i).squaredNorm();
  }
};

Result solved(const Mistaken& objective) {
  Problem problem{objective};
  problem.name_variables({"length", "width"});
  return solve(problem);
}

std::string said(const Result& result) {
  std::string out;
  for (const auto& event : result.events) out += event + "\n";
  return out;
}

TEST(WrongObjective, AFlippedSignIsNamed) {
  const Result result = solved({.sign = -1});
  EXPECT_FALSE(result.certified());
  expect_contains(said(result),
                  "check the objective: the gradient is not the derivative of the value: sample ");
  expect_contains(said(result), "variable 'width'");
}

TEST(WrongObjective, AGradientThatIsNoNumberIsNamedAtOnce) {
  const Result result = solved({.bad_gradient = 3});
  EXPECT_FALSE(result.certified());
  EXPECT_EQ(result.iterations, 0U);
  expect_contains(said(result),
                  "the objective is not finite: the gradient of sample 3 is nan for variable 'width'");
}

TEST(WrongObjective, SoIsAValueWithASoundGradient) {
  const Result result = solved({.bad_value = 3});
  EXPECT_FALSE(result.certified());
  EXPECT_EQ(result.iterations, 0U);
  expect_contains(said(result), "the objective is not finite: the value of sample 3 is ");
}

TEST(WrongObjective, ASoundOneIsNotComplainedAbout) {
  const Result result = solved({});
  EXPECT_TRUE(result.certified()) << result.full_report();
  EXPECT_EQ(said(result).find("check the objective"), std::string::npos) << said(result);
}

}  // namespace
}  // namespace bridle
