// The data matrix of a linear model: N rows of n features, dense (double or float) or sparse. Arithmetic is
// in double.
#pragma once

#include <array>
#include <type_traits>
#include <variant>

#include "bridle/core/types.hpp"
#include "bridle/problem/objectives/dense_row.hpp"
#include "bridle/problem/objectives/row_block.hpp"

namespace bridle {

template <class Scalar>
using DenseRows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Features {
  // Private helpers first: their deduced return types are used below.
  template <class M>
  static constexpr bool is_sparse = std::is_same_v<std::remove_cvref_t<M>, SparseRows>;

  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), storage_);
  }

 public:
  using Storage = std::variant<DenseRows<double>, DenseRows<float>, SparseRows>;

  template <class M>
  requires(!std::same_as<std::remove_cvref_t<M>, Features>) Features(M&& matrix) {
    if constexpr (is_sparse<M> && !std::is_lvalue_reference_v<M> && !std::is_const_v<M>) {
      matrix.makeCompressed();
      storage_.template emplace<SparseRows>().swap(matrix);
    } else {
      storage_ = std::forward<M>(matrix);
      if (auto* sparse = std::get_if<SparseRows>(&storage_)) sparse->makeCompressed();
    }
  }
  Features(const Features&) = default;
  Features& operator=(const Features&) = default;
  // Eigen 3.4 copies sparse matrices that are moved from; data sets are too large for that.
  Features(Features&& other) noexcept { take(other); }
  Features& operator=(Features&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~Features() = default;

  Index rows() const {
    return visit([](const auto& m) { return m.rows(); });
  }
  Index columns() const {
    return visit([](const auto& m) { return m.cols(); });
  }
  bool sparse() const { return std::holds_alternative<SparseRows>(storage_); }
  const Storage& storage() const { return storage_; }

  // a_i'x
  double dot(Index i, ConstVectorRef x) const {
    return visit([&](const auto& m) -> double {
      if constexpr (is_sparse<decltype(m)>) {
        double sum = 0;
        for (SparseRows::InnerIterator it(m, i); it; ++it) sum += it.value() * x[it.col()];
        return sum;
      } else {
        return row_dot(m.data() + i * m.cols(), x.data(), m.cols());
      }
    });
  }
  // out += factor a_i
  void add_row(Index i, double factor, VectorRef out) const {
    visit([&](const auto& m) {
      if constexpr (is_sparse<decltype(m)>) {
        for (SparseRows::InnerIterator it(m, i); it; ++it) out[it.col()] += factor * it.value();
      } else {
        row_add(factor, m.data() + i * m.cols(), out.data(), m.cols());
      }
    });
  }
  // For rows first, ..., last - 1 in blocks: work(i, count, products) sees products[k] = a_{i+k}'x, may
  // change it, and out += sum_k products[k] a_{i+k} follows unless `out` is null.
  template <class Work>
  void for_each_block(Index first, Index last, ConstVectorRef x, Work&& work, double* out = nullptr) const {
    visit([&](const auto& m) {
      std::array<double, most_rows_in_block> products;
      const Index most = rows_at_once(m);
      for (Index i = first; i < last; i += most) {
        const Index count = std::min(most, last - i);
        dot_rows(m, i, count, x.data(), products.data());
        work(i, count, products.data());
        if (out) add_rows(m, products.data(), i, count, out);
      }
    });
  }
  // out += sum_i factors[i] a_i over rows first, ..., last - 1
  void add_rows(Index first, Index last, const double* factors, double* out) const {
    visit([&](const auto& m) {
      const Index most = rows_at_once(m);
      for (Index i = first; i < last; i += most) add_rows(m, factors + i, i, std::min(most, last - i), out);
    });
  }
  Features part(const std::vector<Index>& rows) const {
    return visit([&](const auto& m) { return Features(pick_rows(m, rows)); });
  }
  // Entries that are stored.
  double entries() const {
    return visit([](const auto& m) -> double {
      if constexpr (is_sparse<decltype(m)>)
        return static_cast<double>(m.nonZeros());
      else
        return static_cast<double>(m.rows()) * static_cast<double>(m.cols());
    });
  }
  // visitor(column, value) for the nonzeros of row i
  template <class Visitor>
  void for_each(Index i, Visitor&& visitor) const {
    visit([&](const auto& m) {
      if constexpr (is_sparse<decltype(m)>) {
        for (SparseRows::InnerIterator it(m, i); it; ++it) visitor(it.col(), it.value());
      } else {
        for (Index j = 0; j < m.cols(); ++j)
          if (m(i, j) != 0) visitor(j, static_cast<double>(m(i, j)));
      }
    });
  }

 private:
  template <class Scalar>
  static DenseRows<Scalar> pick_rows(const DenseRows<Scalar>& m, const std::vector<Index>& rows) {
    return m(rows, Eigen::all);
  }
  static SparseRows pick_rows(const SparseRows& m, const std::vector<Index>& rows) {
    SparseRows out(static_cast<Index>(rows.size()), m.cols());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      out.startVec(static_cast<Index>(k));
      for (SparseRows::InnerIterator it(m, rows[k]); it; ++it)
        out.insertBack(static_cast<Index>(k), it.col()) = it.value();
    }
    out.finalize();
    return out;
  }

  template <class Scalar>
  static Index rows_at_once(const DenseRows<Scalar>& m) {
    return rows_in_block<Scalar>(m.cols());
  }
  static Index rows_at_once(const SparseRows&) { return 16; }

  template <class Scalar>
  static void dot_rows(const DenseRows<Scalar>& m, Index i, Index count, const double* x, double* products) {
    block_dot(m.data() + i * m.cols(), count, m.cols(), x, products);
  }
  template <class Scalar>
  static void add_rows(const DenseRows<Scalar>& m, const double* factors, Index i, Index count, double* out) {
    block_add(factors, m.data() + i * m.cols(), count, m.cols(), out);
  }
  static void dot_rows(const SparseRows& m, Index i, Index count, const double* x, double* products) {
    sparse_block_dot(m.valuePtr(), m.innerIndexPtr(), m.outerIndexPtr() + i, count, x, products);
  }
  static void add_rows(const SparseRows& m, const double* factors, Index i, Index count, double* out) {
    sparse_block_add(factors, m.valuePtr(), m.innerIndexPtr(), m.outerIndexPtr() + i, count, out);
  }

  void take(Features& other) {
    if (auto* sparse = std::get_if<SparseRows>(&other.storage_))
      storage_.emplace<SparseRows>().swap(*sparse);
    else
      storage_ = std::move(other.storage_);
  }

  Storage storage_;
};

}  // namespace bridle
