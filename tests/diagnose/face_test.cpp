#include "bridle/diagnose/face.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::vec;

// One row (0.6, 0.8) on [0, 1]^2: with both variables free its singular value is 1, with x_2 at its bound
// 0.6.
TEST(FaceStability, OfOneRowByHand) {
  Problem problem(Quadratic(test::sparse(Matrix::Identity(2, 2)), Vector::Zero(2)));
  problem.within(Box(Vector::Zero(2), Vector::Ones(2))).subject_to(Matrix{{3, 4}}, vec(2), vec(2));
  const StandardForm form(problem, {});
  const Parameters p{.tau = 0.1, .eta = 0.2, .beta = 0.03, .mu = 2, .rho = 5};
  const auto margin = [&](double s) {
    const double h = -1.5, a = h + 2 + 5 * s * s, k_e = 2, k_b = 0.3;
    return (a * k_e * s * s + (a + k_b) * k_b * (h + 5 * s * s)) / (1.5 * 1.5 * 1.5);
  };
  const FaceStability inside = face_stability(form, vec(0.5, 0.5), p, 1.5);
  EXPECT_EQ(inside.free_columns, 2);
  EXPECT_NEAR(inside.smallest_singular_value, 1, 1e-9);
  EXPECT_NEAR(inside.margin, margin(1), 1e-9);
  const FaceStability edge = face_stability(form, vec(0.5, 1), p, 1.5);
  EXPECT_EQ(edge.free_columns, 1);
  EXPECT_NEAR(edge.smallest_singular_value, 0.6, 1e-9);
  EXPECT_NEAR(edge.margin, margin(0.6), 1e-9);
  EXPECT_EQ(face_stability(form, vec(0, 1), p, 1.5).free_columns, 0);
}

}  // namespace
}  // namespace bridle
