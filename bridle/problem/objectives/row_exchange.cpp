#include "bridle/problem/objectives/row_exchange.hpp"

#include <algorithm>
#include <vector>

namespace bridle {
namespace {

constexpr std::size_t numbers_at_once = std::size_t{1} << 22;  // of a message

// A row travels as numbers: places and values of a sparse one, the values of a dense one.
std::size_t size_of_row(const SparseView& m, Index i) {
  return 2 * static_cast<std::size_t>(m.outerIndexPtr()[i + 1] - m.outerIndexPtr()[i]);
}
template <class Scalar>
std::size_t size_of_row(const DenseView<Scalar>& m, Index) {
  return static_cast<std::size_t>(m.cols());
}
double* write_row(const SparseView& m, Index i, double* to) {
  m.for_each(i, [&](Index j, double value) {
    *to++ = static_cast<double>(j);
    *to++ = value;
  });
  return to;
}
template <class Scalar>
double* write_row(const DenseView<Scalar>& m, Index i, double* to) {
  return std::copy_n(m.data() + i * m.cols(), m.cols(), to);
}

// Rows that come in any order; of how many numbers each is, is known beforehand.
class SparseRowsToCome {
 public:
  SparseRowsToCome(const SparseView& like, const Vector& sizes) : rows_(sizes.size(), like.cols()) {
    Index entries = 0;
    for (Index i = 0; i < sizes.size(); ++i) {
      rows_.outerIndexPtr()[i] = static_cast<int>(entries);
      entries += static_cast<Index>(sizes[i]) / 2;
    }
    rows_.outerIndexPtr()[sizes.size()] = static_cast<int>(entries);
    rows_.resizeNonZeros(entries);
  }
  const double* read(Index i, const double* from) {
    for (int k = rows_.outerIndexPtr()[i]; k < rows_.outerIndexPtr()[i + 1]; ++k) {
      rows_.innerIndexPtr()[k] = static_cast<int>(*from++);
      rows_.valuePtr()[k] = *from++;
    }
    return from;
  }
  Features take() { return std::move(rows_); }

 private:
  SparseRows rows_;
};
template <class Scalar>
class DenseRowsToCome {
 public:
  DenseRowsToCome(const DenseView<Scalar>& like, const Vector& sizes) : rows_(sizes.size(), like.cols()) {}
  const double* read(Index i, const double* from) {
    for (Index j = 0; j < rows_.cols(); ++j) rows_(i, j) = static_cast<Scalar>(*from++);
    return from;
  }
  Features take() { return std::move(rows_); }

 private:
  DenseRows<Scalar> rows_;
};
SparseRowsToCome rows_to_come(const SparseView& like, const Vector& sizes) { return {like, sizes}; }
template <class Scalar>
DenseRowsToCome<Scalar> rows_to_come(const DenseView<Scalar>& like, const Vector& sizes) {
  return {like, sizes};
}

// Who brings which rows, and who wants them.
class Dealing {
 public:
  Dealing(Index rows, Index first, const RowWishes& wishes, const Processes* among)
      : among_(among), wishes_(wishes), firsts_(Vector::Zero(count() + 1)) {
    firsts_[me()] = static_cast<double>(first);
    if (me() + 1 == count()) firsts_[count()] = static_cast<double>(first + rows);
    if (among_) among_->sum(firsts_);
  }
  Index wanted_here() const { return wishes_.first_of(me() + 1) - wishes_.first_of(me()); }

  // Moves numbers of rows: write(row brought, to) puts those of a row down, read(row wanted, from) takes them
  // up, both go on behind them. How many there are both sides know: size_brought(row), size_wanted(row).
  template <class SizeBrought, class SizeWanted, class Write, class Read>
  void move(const SizeBrought& size_brought, const SizeWanted& size_wanted, const Write& write,
            const Read& read) const {
    // Each pair of processes has its turn, in the same order everywhere: nobody waits for somebody who waits
    // for him.
    for (Index from = 0; from < count(); ++from)
      for (Index to = 0; to < count(); ++to) {
        if (from != me() && to != me()) continue;
        const std::vector<Row> rows = rows_between(from, to);
        std::vector<double> letter;
        for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
          std::size_t size = 0;
          do {
            size += from == me() ? size_brought(rows[last].brought) : size_wanted(rows[last].wanted);
          } while (++last < rows.size() && size < numbers_at_once);
          letter.resize(size);
          if (from == me()) {
            double* end = letter.data();
            for (std::size_t k = first; k < last; ++k) end = write(rows[k].brought, end);
          }
          if (from != to && from == me()) among_->send(to, letter);
          if (from != to && to == me()) among_->receive(from, letter);
          if (to == me()) {
            const double* end = letter.data();
            for (std::size_t k = first; k < last; ++k) end = read(rows[k].wanted, end);
          }
        }
      }
  }

 private:
  struct Row {
    Index brought, wanted;  // its number among those of its process
  };
  Index count() const { return among_ ? among_->count() : 1; }
  Index me() const { return among_ ? among_->number() : 0; }
  std::vector<Row> rows_between(Index from, Index to) const {
    const auto first = static_cast<Index>(firsts_[from]), end = static_cast<Index>(firsts_[from + 1]);
    const Index begin = wishes_.first_of(to);
    std::vector<Row> out;
    for (Index k = begin; k < wishes_.first_of(to + 1); ++k)
      if (const Index row = wishes_.row(k); first <= row && row < end)
        out.push_back({row - first, k - begin});
    return out;
  }

  const Processes* among_;  // null: one process
  const RowWishes& wishes_;
  Vector firsts_;  // of the rows that each process brings, and where the last ends
};

}  // namespace

LabelledRows exchanged(const LabelledRows& brought, Index first, const RowWishes& wishes,
                       const Processes* among) {
  return std::visit(
      [&](const auto& rows) -> LabelledRows {
        const Dealing dealing(rows.rows(), first, wishes, among);
        const auto one = [](Index) { return std::size_t{1}; };
        Vector sizes(dealing.wanted_here());
        dealing.move(
            one, one,
            [&](Index i, double* to) {
              *to++ = static_cast<double>(size_of_row(rows, i));
              return to;
            },
            [&](Index i, const double* from) {
              sizes[i] = *from++;
              return from;
            });
        auto wanted = rows_to_come(rows, sizes);
        Vector labels(sizes.size());
        dealing.move([&](Index i) { return 1 + size_of_row(rows, i); },
                     [&](Index i) { return 1 + static_cast<std::size_t>(sizes[i]); },
                     [&](Index i, double* to) {
                       *to++ = brought.labels[i];
                       return write_row(rows, i, to);
                     },
                     [&](Index i, const double* from) {
                       labels[i] = *from++;
                       return wanted.read(i, from);
                     });
        return {wanted.take(), std::move(labels)};
      },
      brought.features.storage());
}

}  // namespace bridle
