#include "bridle/problem/objectives/row_exchange.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "bridle/core/error.hpp"

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
  Dealing(Index rows, Index first, const std::vector<Index>& wanted, const Processes& among)
      : among_(among), places_(size(count())), asked_(size(count())) {
    Vector firsts =
        Vector::Zero(count() + 1);  // of the rows that each process brings, and where the last ends
    firsts[me()] = static_cast<double>(first);
    if (me() + 1 == count()) firsts[count()] = static_cast<double>(first + rows);
    among_.sum(firsts);
    std::vector<std::vector<Index>> asking(size(count()));  // rows among those of each process
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto row = static_cast<double>(wanted[k]);
      const Index from = std::upper_bound(firsts.begin(), firsts.end(), row) - firsts.begin() - 1;
      asking[size(from)].push_back(wanted[k] - static_cast<Index>(firsts[from]));
      places_[size(from)].push_back(static_cast<Index>(k));
    }
    Matrix counts = Matrix::Zero(count(), count());  // wanted of one by another
    for (Index from = 0; from < count(); ++from)
      counts(from, me()) = static_cast<double>(asking[size(from)].size());
    among_.sum(VectorRef(counts.reshaped()));
    for (Index to = 0; to < count(); ++to)
      asked_[size(to)].resize(size(static_cast<Index>(counts(me(), to))));
    // Those who want tell those who bring.
    in_turns([&](Index from, Index to) {
      std::vector<Index>&told = asking[size(from)], &heard = asked_[size(to)];
      carry(
          to, from, to == me() ? told.size() : heard.size(), [](std::size_t) { return std::size_t{1}; },
          [&](std::size_t k, double* at) {
            *at = static_cast<double>(told[k]);
            return at + 1;
          },
          [&](std::size_t k, const double* at) {
            heard[k] = static_cast<Index>(*at);
            return at + 1;
          });
    });
  }

  // Moves numbers of rows: write(row brought, to) puts those of a row down, read(place among those wanted,
  // from) takes them up, both go on behind them. How many there are both sides know: size_brought(row),
  // size_wanted(place).
  template <class SizeBrought, class SizeWanted, class Write, class Read>
  void move(const SizeBrought& size_brought, const SizeWanted& size_wanted, const Write& write,
            const Read& read) const {
    in_turns([&](Index from, Index to) {
      const std::vector<Index>&rows = asked_[size(to)], &places = places_[size(from)];
      const bool brings = from == me();
      carry(
          from, to, brings ? rows.size() : places.size(),
          [&](std::size_t k) { return brings ? size_brought(rows[k]) : size_wanted(places[k]); },
          [&](std::size_t k, double* at) { return write(rows[k], at); },
          [&](std::size_t k, const double* at) { return read(places[k], at); });
    });
  }

 private:
  static std::size_t size(Index count) { return static_cast<std::size_t>(count); }
  Index count() const { return among_.count(); }
  Index me() const { return among_.number(); }

  // Each pair of processes has its turn, in the same order everywhere: nobody waits for somebody who waits
  // for him.
  template <class Turn>
  void in_turns(const Turn& turn) const {
    for (Index from = 0; from < count(); ++from)
      for (Index to = 0; to < count(); ++to)
        if (from == me() || to == me()) turn(from, to);
  }
  // Items from one process to another or to itself, so many at a time that no letter is large.
  template <class Size, class Write, class Read>
  void carry(Index from, Index to, std::size_t items, const Size& size_of, const Write& write,
             const Read& read) const {
    std::vector<double> letter;
    for (std::size_t first = 0, last = 0; first < items; first = last) {
      std::size_t numbers = 0;
      do numbers += size_of(last);
      while (++last < items && numbers < numbers_at_once);
      letter.resize(numbers);
      if (from == me()) {
        double* at = letter.data();
        for (std::size_t k = first; k < last; ++k) at = write(k, at);
      }
      if (from != to && from == me()) among_.send(to, letter);
      if (from != to && to == me()) among_.receive(from, letter);
      if (to == me()) {
        const double* at = letter.data();
        for (std::size_t k = first; k < last; ++k) at = read(k, at);
      }
    }
  }

  const Processes& among_;
  std::vector<std::vector<Index>> places_;  // of the rows wanted here, by who brings them
  std::vector<std::vector<Index>> asked_;   // rows brought here, by who wants them
};

// Rows are shared out by their number, and not by their entries.
void refuse_too_many_entries(const Vector& sizes, const Processes& among) {
  Vector most = Vector::Constant(1, sizes.sum() / 2);
  among.largest(most);
  constexpr double places = std::numeric_limits<int>::max();
  if (most[0] > places)
    throw InputError("a rank would have more than 2147483647 nonzero values: take more workers and ranks");
}

}  // namespace

LabelledRows exchanged(const LabelledRows& brought, Index first, const std::vector<Index>& wanted,
                       const Processes& among) {
  return std::visit(
      [&](const auto& rows) -> LabelledRows {
        const Dealing dealing(rows.rows(), first, wanted, among);
        const auto one = [](Index) { return std::size_t{1}; };
        Vector sizes(static_cast<Index>(wanted.size()));
        dealing.move(
            one, one,
            [&](Index i, double* to) {
              *to = static_cast<double>(size_of_row(rows, i));
              return to + 1;
            },
            [&](Index i, const double* from) {
              sizes[i] = *from;
              return from + 1;
            });
        if (brought.features.sparse()) refuse_too_many_entries(sizes, among);
        auto arrived = rows_to_come(rows, sizes);
        Vector labels(sizes.size());
        dealing.move([&](Index i) { return 1 + size_of_row(rows, i); },
                     [&](Index i) { return 1 + static_cast<std::size_t>(sizes[i]); },
                     [&](Index i, double* to) {
                       *to++ = brought.labels[i];
                       return write_row(rows, i, to);
                     },
                     [&](Index i, const double* from) {
                       labels[i] = *from++;
                       return arrived.read(i, from);
                     });
        return {arrived.take(), std::move(labels)};
      },
      brought.features.storage());
}

}  // namespace bridle
