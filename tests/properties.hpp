// Small helpers that the tests of several rooms share.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"

namespace bridle::test {

inline const Stream& made_up() {
  static const Stream stream(20240611, Purpose::generator);
  return stream;
}

inline Vector random_vector(Index n, std::uint64_t counter, double size = 1) {
  Vector out(n);
  made_up().fill_normal(out, counter);
  return size * out;
}
inline Matrix random_matrix(Index rows, Index columns, std::uint64_t counter) {
  return random_vector(rows * columns, counter).reshaped(rows, columns);
}
// Each entry nonzero with probability `density`; no empty row.
inline Matrix random_sparse(Index rows, Index columns, double density, std::uint64_t counter) {
  Matrix out = random_matrix(rows, columns, counter);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      if (j != i % columns &&
          made_up().uniform(counter, static_cast<std::uint32_t>(1'000'000 + i * columns + j)) > density)
        out(i, j) = 0;
  return out;
}
// A symmetric matrix with the given eigenvalues.
inline Matrix with_spectrum(const Vector& eigenvalues, std::uint64_t counter) {
  Matrix basis = random_matrix(eigenvalues.size(), eigenvalues.size(), counter);
  for (Index j = 0; j < basis.cols(); ++j) {
    for (int twice = 0; twice < 2; ++twice)
      for (Index k = 0; k < j; ++k) basis.col(j) -= basis.col(k).dot(basis.col(j)) * basis.col(k);
    basis.col(j).normalize();
  }
  const Matrix product = basis * eigenvalues.asDiagonal() * basis.transpose();
  return 0.5 * (product + product.transpose());
}

template <class... Numbers>
Vector vec(Numbers... numbers) {
  return Vector{{static_cast<double>(numbers)...}};
}
inline SparseColumns sparse(const Matrix& matrix) { return matrix.sparseView(); }

inline void expect_near(const Vector& actual, const Vector& expected, double tolerance = 1e-12) {
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_LE((actual - expected).norm(), tolerance) << actual.transpose() << "\nis not\n"
                                                   << expected.transpose();
}

// What the InputError says that `make` throws; a failure if it throws none.
template <class Make>
std::string refusal(Make&& make) {
  try {
    make();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}
inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

}  // namespace bridle::test
