#include "bridle/core/small_matrix.hpp"

#include <gtest/gtest.h>

#include "tests/properties.hpp"

namespace bridle {
namespace {

TEST(SmallMatrix, MultipliesAsEigenDoes) {
  for (Index size = 1; size <= 33; ++size) {
    const Matrix matrix = test::random_matrix(size, size, 1);
    const Vector v = test::random_vector(size, 2), expected = matrix * v;
    Vector out(size);
    SmallMatrix(matrix).multiply(v.data(), out.data());
    EXPECT_LE((out - expected).norm(), 1e-15 * static_cast<double>(size) * matrix.norm() * v.norm()) << size;
  }
}

}  // namespace
}  // namespace bridle
