// Wrong gradients are found and named; right ones are not complained about, large or small, flat or steep; a
// run that meets a wrong one says so.
#include "bridle/diagnose/gradient_check.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::expect_contains;
using test::random_vector;

// f(x, i) = scale (sum_j sin(x_j + i) + |x|^2 / 2), with one entry of the gradient changed.
struct Waves {
  double scale = 1;
  Index wrong = -1;
  double error = 0;
  Sample bad_sample = ~Sample{0};

  Index dimension() const { return 6; }
  Index sample_count() const { return 10; }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    for (Index j = 0; j < 6; ++j) out[j] = scale * (std::cos(x[j] + static_cast<double>(i)) + x[j]);
    if (wrong >= 0) out[wrong] += scale * error;
    if (i == bad_sample) out[3] = std::nan("");
  }
  double value(ConstVectorRef x, Sample i) const {
    return scale * ((x.array() + static_cast<double>(i)).sin().sum() + 0.5 * x.squaredNorm());
  }
};

TEST(GradientCheck, RightOnesPass) {
  for (const double scale : {1e-12, 1.0, 1e12})
    for (const double size : {0.0, 1.0, 1e3}) {
      const GradientCheck check = check_gradient(Problem(Waves{scale}), random_vector(6, 1, size));
      EXPECT_TRUE(check.good()) << check.text() << " scale " << scale << " size " << size;
      EXPECT_TRUE(check.against_values);
      expect_contains(check.text(), "agrees with differences of the values: 10 samples");
    }
}

TEST(GradientCheck, BuiltInOnesPass) {
  const Matrix data = test::random_matrix(50, 5, 3);
  Vector labels = random_vector(50, 4).cwiseSign();
  for (const auto& entry : all_losses()) {
    const GradientCheck check = check_gradient(
        Problem(LinearModel(DenseRows<double>(data), labels, *find_loss(std::string(entry.name)))),
        random_vector(5, 5));
    EXPECT_TRUE(check.good()) << entry.name << ": " << check.text();
  }
}

TEST(GradientCheck, AWrongOneIsNamedWithTheVariable) {
  for (const double error : {1e-3, 1.0, -100.0}) {
    Problem problem{Waves{.wrong = 4, .error = error}};
    problem.name_variables({"a", "b", "c", "d", "gamma", "e"});
    const GradientCheck check = check_gradient(problem, random_vector(6, 2));
    EXPECT_FALSE(check.good());
    expect_contains(check.flaw, "not the derivative of the value");
    expect_contains(check.flaw, "variable 'gamma'");
    EXPECT_GT(check.worst, 1e-5);
  }
}

TEST(GradientCheck, WhatIsNotFiniteIsNamedWithTheSample) {
  const Problem problem{Waves{.bad_sample = 7}};
  const GradientCheck check = check_gradient(problem, random_vector(6, 2));
  expect_contains(check.flaw, "sample 7");
  expect_contains(check.flaw, "variable 'x4'");
  expect_contains(find_not_finite(problem, random_vector(6, 2), 100).value(), "sample 7");
  EXPECT_FALSE(find_not_finite(problem, random_vector(6, 2), 7)) << "the first seven are sound";
}

// No values: what can be found out is that it is no gradient of anything.
struct Swirl {
  double swirl = 0;
  Index dimension() const { return 3; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const {
    out = x;
    out[0] += swirl * x[1];
    out[1] -= swirl * x[0];
  }
};

TEST(GradientCheck, WithoutValuesSymmetryIsChecked) {
  const GradientCheck good = check_gradient(Problem(Swirl{}), random_vector(3, 1));
  EXPECT_TRUE(good.good()) << good.text();
  expect_contains(good.text(), "no values to compare with");
  const GradientCheck bad = check_gradient(Problem(Swirl{0.1}), random_vector(3, 1));
  expect_contains(bad.flaw, "no derivative of anything");
}

struct BadBatch : Waves {
  void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const {
    Vector one(6);
    out.setZero();
    for (const Sample i : samples) gradient(x, i, one), out += one;  // and the division is forgotten
  }
};

TEST(GradientCheck, ABatchIsTheMeanOfItsSamples) {
  const GradientCheck check = check_gradient(Problem(BadBatch{}), random_vector(6, 2));
  expect_contains(check.flaw, "batch_gradient is not the mean");
}

struct Circle {
  double error = 0;
  Index dimension() const { return 6; }
  Index count() const { return 1; }
  void value(ConstVectorRef x, VectorRef out) const { out[0] = x.squaredNorm(); }
  void jacobian(ConstVectorRef x, Matrix& out) const {
    out.row(0) = 2 * x.transpose();
    out(0, 2) += error;
  }
};

TEST(GradientCheck, JacobiansOfSmoothRowsToo) {
  for (const double error : {0.0, 0.5}) {
    Problem problem{Waves{}};
    problem.subject_to_smooth(Circle{error}, test::vec(0), test::vec(1), {"disc"});
    const GradientCheck check = check_gradient(problem, random_vector(6, 3));
    EXPECT_EQ(check.good(), error == 0) << check.text();
    if (error > 0) expect_contains(check.flaw, "row 'disc', variable 'x3'");
  }
}

TEST(GradientCheck, APointOfAnotherSizeIsRefused) {
  expect_contains(test::refusal([] { check_gradient(Problem(Waves{}), Vector(2)); }), "2 entries");
}

}  // namespace
}  // namespace bridle
