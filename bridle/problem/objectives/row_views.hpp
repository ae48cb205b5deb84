// Views of rows of data, dense or sparse: where they lie and how many there are. Somebody else keeps the
// memory.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle {

template <class Scalar>
using DenseRows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Row after row, without gaps.
template <class Scalar>
class DenseView {
 public:
  DenseView() = default;
  DenseView(const Scalar* data, Index rows, Index columns) : data_(data), rows_(rows), columns_(columns) {}
  explicit DenseView(const DenseRows<Scalar>& m) : DenseView(m.data(), m.rows(), m.cols()) {}

  // `count` rows from `first` on.
  DenseView rows_from(Index first, Index count) const { return {data_ + first * columns_, count, columns_}; }

  Index rows() const { return rows_; }
  Index cols() const { return columns_; }
  const Scalar* data() const { return data_; }
  Scalar operator()(Index i, Index j) const { return data_[i * columns_ + j]; }
  Eigen::Map<const DenseRows<Scalar>> matrix() const { return {data_, rows_, columns_}; }

 private:
  const Scalar* data_ = nullptr;
  Index rows_ = 0, columns_ = 0;
};

// Compressed rows: the entries of row i are numbers starts[i], ..., starts[i + 1] - 1, by rising columns,
// none twice.
class SparseView {
 public:
  SparseView() = default;
  SparseView(const double* values, const int* columns_of_values, const int* starts, Index rows, Index columns)
      : values_(values), inner_(columns_of_values), starts_(starts), rows_(rows), columns_(columns) {}
  explicit SparseView(const SparseRows& m)  // compressed
      : SparseView(m.valuePtr(), m.innerIndexPtr(), m.outerIndexPtr(), m.rows(), m.cols()) {}

  // `count` rows from `first` on: starts[0] need not be 0.
  SparseView rows_from(Index first, Index count) const {
    return {values_, inner_, starts_ + first, count, columns_};
  }

  Index rows() const { return rows_; }
  Index cols() const { return columns_; }
  Index nonZeros() const { return rows_ > 0 ? starts_[rows_] - starts_[0] : 0; }
  const double* valuePtr() const { return values_; }
  const int* innerIndexPtr() const { return inner_; }
  const int* outerIndexPtr() const { return starts_; }
  Eigen::Map<const SparseRows> matrix() const {
    return {rows_, columns_, nonZeros(), starts_, inner_, values_};
  }

  // visitor(column, value) for the entries of row i
  template <class Visitor>
  [[gnu::always_inline]] void for_each(Index i, Visitor&& visitor) const {
    for (int k = starts_[i]; k < starts_[i + 1]; ++k) visitor(static_cast<Index>(inner_[k]), values_[k]);
  }

 private:
  const double* values_ = nullptr;
  const int *inner_ = nullptr, *starts_ = nullptr;
  Index rows_ = 0, columns_ = 0;
};

}  // namespace bridle
