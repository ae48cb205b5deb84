#include "bridle/problem/objectives/row_square.hpp"

#include "bridle/core/dispatch.hpp"

namespace bridle {
namespace {

constexpr Index rows_of_a_square = 8;

// Column j of `out` from row j on, for sorted columns: one stream of additions per entry of the row.
void add_sparse_squares(const SparseRows& rows, const double* weights, Index first, Index last, Matrix& out) {
  const double* const values = rows.valuePtr();
  const int* const columns = rows.innerIndexPtr();
  const int* const starts = rows.outerIndexPtr();
  double* const sums = out.data();
  const Index n = out.rows();
  for (Index i = first; i < last; ++i) {
    if (weights[i] == 0) continue;
    for (int a = starts[i]; a < starts[i + 1]; ++a) {
      double* const column = sums + columns[a] * n;
      const double factor = weights[i] * values[a];
      for (int b = a; b < starts[i + 1]; ++b) column[columns[b]] += factor * values[b];
    }
  }
}

// Eight rows at once: every entry of the sum is read and written once for them. From the block that holds
// the diagonal on, so that whole packs can be taken.
BRIDLE_DISPATCH void add_dense_squares(const double* rows, const double* weights, Index n, double* sums) {
  constexpr Index at_once = lanes / 2;
  for (Index j = 0; j < n; ++j) {
    double factors[rows_of_a_square];
    for (Index r = 0; r < rows_of_a_square; ++r) factors[r] = weights[r] * rows[r * n + j];
    double* const column = sums + j * n;
    Index i = j / at_once * at_once;
    for (; i + at_once <= n; i += at_once) {
      HalfPack sum, one, two;
      load(sum, column + i);
      HalfPack other = {};
      for (Index r = 0; r < rows_of_a_square; r += 2) {
        load(one, rows + r * n + i);
        load(two, rows + (r + 1) * n + i);
        sum += factors[r] * one;
        other += factors[r + 1] * two;
      }
      sum += other;
      store(column + i, sum);
    }
    for (; i < n; ++i)
      for (Index r = 0; r < rows_of_a_square; ++r) column[i] += factors[r] * rows[r * n + i];
  }
}

template <class Scalar>
void add_squares(const DenseRows<Scalar>& rows, const double* weights, Index first, Index last, Matrix& out) {
  const Index n = rows.cols();
  DenseRows<double> block = DenseRows<double>::Zero(rows_of_a_square, n);
  for (Index i = first; i < last; i += rows_of_a_square) {
    const Index count = std::min(rows_of_a_square, last - i);
    double factors[rows_of_a_square] = {};
    for (Index r = 0; r < count; ++r) factors[r] = weights[i + r];
    block.topRows(count) = rows.middleRows(i, count).template cast<double>();
    add_dense_squares(block.data(), factors, n, out.data());
  }
}
void add_squares(const SparseRows& rows, const double* weights, Index first, Index last, Matrix& out) {
  add_sparse_squares(rows, weights, first, last, out);
}

}  // namespace

void add_row_squares(const Features& features, const double* weights, Index first, Index last, Matrix& out) {
  std::visit([&](const auto& rows) { add_squares(rows, weights, first, last, out); }, features.storage());
}

}  // namespace bridle
