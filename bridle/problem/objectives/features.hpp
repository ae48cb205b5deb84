// The data matrix of a linear model: N rows of n features, dense (double or float) or sparse, in memory of
// its own or of somebody else's. Arithmetic is in double.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "bridle/core/prefetch.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/core/types.hpp"
#include "bridle/problem/objectives/dense_row.hpp"
#include "bridle/problem/objectives/row_block.hpp"
#include "bridle/problem/objectives/row_views.hpp"

namespace bridle {

// Never changed: copies share the memory.
class Features {
  // Private helpers first: their deduced return types are used below.
  template <class M>
  static constexpr bool is_sparse = std::is_same_v<std::remove_cvref_t<M>, SparseView>;
  template <class M>
  static constexpr bool is_data = std::is_same_v<M, DenseRows<double>> ||
                                  std::is_same_v<M, DenseRows<float>> || std::is_same_v<M, SparseRows>;

  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), storage_);
  }

 public:
  using Storage = std::variant<DenseView<double>, DenseView<float>, SparseView>;

  // Takes over a matrix that is moved in, and copies others.
  template <class M>
  requires(is_data<std::remove_cvref_t<M>>) Features(M&& matrix) {
    using Plain = std::remove_cvref_t<M>;
    auto kept = std::make_shared<Plain>();
    if constexpr (!std::is_same_v<Plain, SparseRows>) {
      *kept = std::forward<M>(matrix);
      storage_ = DenseView(*kept);
    } else {
      // Eigen 3.4 copies sparse matrices that are moved from; data sets are too large for that.
      if constexpr (!std::is_lvalue_reference_v<M> && !std::is_const_v<M>)
        kept->swap(matrix);
      else
        *kept = matrix;
      kept->makeCompressed();
      storage_ = SparseView(*kept);
    }
    owner_ = std::move(kept);
  }
  // Memory that `owner` keeps alive and nobody changes.
  Features(Storage rows, std::shared_ptr<const void> owner) : storage_(rows), owner_(std::move(owner)) {}
  Features(const Features&) = default;
  Features& operator=(const Features&) = default;
  Features(Features&& other) noexcept
      : storage_(std::exchange(other.storage_, {})), owner_(std::move(other.owner_)) {}
  Features& operator=(Features&& other) noexcept {
    if (this == &other) return *this;
    storage_ = std::exchange(other.storage_, {});
    owner_ = std::move(other.owner_);
    return *this;
  }
  ~Features() = default;

  Index rows() const {
    return visit([](const auto& m) { return m.rows(); });
  }
  Index columns() const {
    return visit([](const auto& m) { return m.cols(); });
  }
  bool sparse() const { return std::holds_alternative<SparseView>(storage_); }
  const Storage& storage() const { return storage_; }

  // a_i'x
  double dot(Index i, ConstVectorRef x) const {
    return visit([&](const auto& m) -> double {
      if constexpr (is_sparse<decltype(m)>) {
        double sum = 0;
        m.for_each(i, [&](Index j, double value) { sum += value * x[j]; });
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
        m.for_each(i, [&](Index j, double value) { out[j] += factor * value; });
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
  // A copy of these rows; of numbers first, ..., end - 1 of them alone, if so: the others are there, and
  // empty or not set.
  Features part(const std::vector<Index>& rows) const {
    return part(rows, 0, static_cast<Index>(rows.size()));
  }
  Features part(const std::vector<Index>& rows, Index first, Index end) const {
    return visit([&](const auto& m) {
      return Features(pick_rows(m, rows, static_cast<std::size_t>(first), static_cast<std::size_t>(end)));
    });
  }
  // `count` rows from `first` on, where they lie.
  Features rows_from(Index first, Index count) const {
    return visit([&](const auto& m) { return Features(Storage(m.rows_from(first, count)), owner_); });
  }
  // visitor(i, column, value) for the nonzeros of rows i = first, ..., last - 1
  template <class Visitor>
  void for_each_of(Index first, Index last, Visitor&& visitor) const {
    visit([&](const auto& m) {
      for (Index i = first; i < last; ++i) {
        if constexpr (is_sparse<decltype(m)>) {
          m.for_each(i, [&](Index j, double value) { visitor(i, j, value); });
        } else {
          for (Index j = 0; j < m.cols(); ++j)
            if (m(i, j) != 0) visitor(i, j, static_cast<double>(m(i, j)));
        }
      }
    });
  }
  // Asks the memory for row i.
  [[gnu::always_inline]] void expect(Index i) const {
    if (const auto* sparse = std::get_if<SparseView>(&storage_)) {
      const auto begin = sparse->outerIndexPtr()[i], end = sparse->outerIndexPtr()[i + 1];
      prefetch(sparse->innerIndexPtr() + begin, sparse->innerIndexPtr() + end);
      prefetch(sparse->valuePtr() + begin, sparse->valuePtr() + end);
    } else if (const auto* wide = std::get_if<DenseView<double>>(&storage_)) {
      prefetch(wide->data() + i * wide->cols(), wide->cols());
    } else if (const auto* narrow = std::get_if<DenseView<float>>(&storage_)) {
      prefetch(narrow->data() + i * narrow->cols(), narrow->cols());
    }
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
  double entries_of(std::span<const Index> rows) const {
    return visit([&](const auto& m) {
      double sum = 0;
      for (const Index i : rows) sum += static_cast<double>(entries_of(m, i));
      return sum;
    });
  }
  // visitor(column, value) for the nonzeros of row i
  template <class Visitor>
  void for_each(Index i, Visitor&& visitor) const {
    for_each_of(i, i + 1, [&](Index, Index j, double value) { visitor(j, value); });
  }

 private:
  template <class Scalar>
  static Index entries_of(const DenseView<Scalar>& m, Index) {
    return m.cols();
  }
  static int entries_of(const SparseView& m, Index i) {
    return m.outerIndexPtr()[i + 1] - m.outerIndexPtr()[i];
  }
  // copy(k) for k = first, ..., end - 1, many of them by a thread at a time.
  template <class Copy>
  static void copy_rows(std::size_t first, std::size_t end, const Copy& copy) {
    constexpr std::size_t at_a_time = 4096;
    in_parallel((end - first + at_a_time - 1) / at_a_time, threads_in_use(), [&](std::size_t part) {
      const std::size_t begin = first + part * at_a_time;
      for (std::size_t k = begin; k < std::min(end, begin + at_a_time); ++k) copy(k);
    });
  }
  template <class Scalar>
  static DenseRows<Scalar> pick_rows(const DenseView<Scalar>& m, const std::vector<Index>& rows,
                                     std::size_t first, std::size_t end) {
    DenseRows<Scalar> out(static_cast<Index>(rows.size()), m.cols());
    copy_rows(first, end, [&](std::size_t k) {
      std::copy_n(m.data() + rows[k] * m.cols(), m.cols(), out.data() + static_cast<Index>(k) * m.cols());
    });
    return out;
  }
  static SparseRows pick_rows(const SparseView& m, const std::vector<Index>& rows, std::size_t first,
                              std::size_t end) {
    SparseRows out(static_cast<Index>(rows.size()), m.cols());
    int* const starts = out.outerIndexPtr();
    Index entries = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      starts[k] = static_cast<int>(entries);
      if (first <= k && k < end) entries += entries_of(m, rows[k]);
    }
    starts[rows.size()] = static_cast<int>(entries);
    out.resizeNonZeros(entries);
    copy_rows(first, end, [&](std::size_t k) {
      const int from = m.outerIndexPtr()[rows[k]], count = entries_of(m, rows[k]);
      std::copy_n(m.valuePtr() + from, count, out.valuePtr() + starts[k]);
      std::copy_n(m.innerIndexPtr() + from, count, out.innerIndexPtr() + starts[k]);
    });
    return out;
  }

  template <class Scalar>
  static Index rows_at_once(const DenseView<Scalar>& m) {
    return rows_in_block<Scalar>(m.cols());
  }
  static Index rows_at_once(const SparseView&) { return 16; }

  template <class Scalar>
  static void dot_rows(const DenseView<Scalar>& m, Index i, Index count, const double* x, double* products) {
    block_dot(m.data() + i * m.cols(), count, m.cols(), x, products);
  }
  template <class Scalar>
  static void add_rows(const DenseView<Scalar>& m, const double* factors, Index i, Index count, double* out) {
    block_add(factors, m.data() + i * m.cols(), count, m.cols(), out);
  }
  static void dot_rows(const SparseView& m, Index i, Index count, const double* x, double* products) {
    sparse_block_dot(m.valuePtr(), m.innerIndexPtr(), m.outerIndexPtr() + i, count, x, products);
  }
  static void add_rows(const SparseView& m, const double* factors, Index i, Index count, double* out) {
    sparse_block_add(factors, m.valuePtr(), m.innerIndexPtr(), m.outerIndexPtr() + i, count, out);
  }

  Storage storage_;
  std::shared_ptr<const void> owner_;
};

}  // namespace bridle
