#include "bridle/problem/objectives/row_square.hpp"

#include <vector>

#include "bridle/core/dispatch.hpp"

namespace bridle {
namespace {

constexpr Index rows_of_a_square = 8;

// Columns of the sum that stay in the second cache while all rows pass by: bytes.
constexpr Index bytes_of_columns = 512 * 1024;

// Column j of `out` from row j on, for sorted columns: one stream of additions per entry of the row. Where
// the sum is large, a few of its columns at a time; every row remembers how far it has come.
void add_sparse_squares(const SparseView& rows, const double* weights, Index first, Index last, Matrix& out) {
  const double* const values = rows.valuePtr();
  const int* const columns = rows.innerIndexPtr();
  const int* const starts = rows.outerIndexPtr();
  const Index n = out.rows();
  const Index group = std::max<Index>(8, bytes_of_columns / (static_cast<Index>(sizeof(double)) * n));
  std::vector<int> next(starts + first, starts + last);
  for (Index end = std::min(group, n);; end = std::min(end + group, n)) {
    for (Index i = first; i < last; ++i) {
      if (weights[i] == 0) continue;  // of losses that are flat in places many are
      int a = next[static_cast<std::size_t>(i - first)];
      for (; a < starts[i + 1] && columns[a] < end; ++a) {
        double* const column = out.data() + columns[a] * n;
        const double factor = weights[i] * values[a];
        for (int b = a; b < starts[i + 1]; ++b) column[columns[b]] += factor * values[b];
      }
      next[static_cast<std::size_t>(i - first)] = a;
    }
    if (end == n) break;
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
void add_squares(const DenseView<Scalar>& rows, const double* weights, Index first, Index last, Matrix& out) {
  const Index n = rows.cols();
  DenseRows<double> block = DenseRows<double>::Zero(rows_of_a_square, n);
  for (Index i = first; i < last; i += rows_of_a_square) {
    const Index count = std::min(rows_of_a_square, last - i);
    double factors[rows_of_a_square] = {};
    for (Index r = 0; r < count; ++r) factors[r] = weights[i + r];
    block.topRows(count) = rows.matrix().middleRows(i, count).template cast<double>();
    add_dense_squares(block.data(), factors, n, out.data());
  }
}
void add_squares(const SparseView& rows, const double* weights, Index first, Index last, Matrix& out) {
  add_sparse_squares(rows, weights, first, last, out);
}

}  // namespace

void add_row_squares(const Features& features, const double* weights, Index first, Index last, Matrix& out) {
  std::visit([&](const auto& rows) { add_squares(rows, weights, first, last, out); }, features.storage());
}

}  // namespace bridle
