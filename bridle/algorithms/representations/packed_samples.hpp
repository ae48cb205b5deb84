// The samples of a sparse linear model as a step reads them: label, A a_i, values and places of a row side
// by side, on large pages, so that one stretch of memory is asked for per step.
#pragma once

#include <cstring>
#include <span>

#include "bridle/algorithms/representations/lazy_coordinates.hpp"
#include "bridle/core/large_array.hpp"
#include "bridle/core/prefetch.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

class PackedSamples {
 public:
  struct Row {
    const double* rows;  // A a_i
    PackedRow entries;   // of a_i, times C, columns ascending
    double label() const { return rows[-1]; }
  };

  // `matrix`: A, for data already times C (`columns`).
  PackedSamples(const SparseRows& data, const Vector& labels, const Vector& columns,
                const SparseRows& matrix);

  Row operator[](Index i) const {
    const std::size_t begin = starts_[static_cast<std::size_t>(i)];
    const std::size_t words = starts_[static_cast<std::size_t>(i) + 1] - begin - head_;
    const double* const at = words_.data() + begin;
    const std::size_t count = 2 * words / 3;  // a word a value, half of one a column
    return {
        at + 1,
        {at + head_, reinterpret_cast<const std::uint32_t*>(at + head_ + count), static_cast<Index>(count)}};
  }
  [[gnu::always_inline]] void expect(Index i) const {
    prefetch(words_.data() + starts_[static_cast<std::size_t>(i)],
             words_.data() + starts_[static_cast<std::size_t>(i) + 1]);
  }
  [[gnu::always_inline]] void expect_start(Index i) const {
    prefetch(&starts_[static_cast<std::size_t>(i)], 2);
  }

 private:
  static std::size_t words_for(Index entries) {
    return static_cast<std::size_t>(entries + (entries + 1) / 2);
  }

  std::size_t head_;  // words before the values: label and A a_i
  LargeArray<std::size_t> starts_;
  LargeArray<double> words_;
};

}  // namespace bridle
