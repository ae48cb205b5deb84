// The samples of a linear model as a step reads them: label, A a_i, values and places of a row side by side,
// on large pages, so that one stretch of memory is asked for per step. Zeros are left out, however the data
// is stored.
//
// Packing a sample costs more than a step. A loop that draws every sample several times has all of them
// packed once, by threads; one that does not has the samples of a few draws packed at a time, in the order of
// these.
#pragma once

#include <cstring>
#include <memory>
#include <span>

#include "bridle/algorithms/representations/lazy_coordinates.hpp"
#include "bridle/algorithms/representations/modes.hpp"
#include "bridle/algorithms/representations/split.hpp"
#include "bridle/core/large_array.hpp"
#include "bridle/core/prefetch.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

class PackedSamples {
 public:
  // A a_i by classes of variables: row after row, with a number for each class.
  struct RowShares {
    const double* values;
    Index count;
  };
  struct Row {
    double label;
    RowShares rows;
    PackedRow entries;  // of a_i, times C, columns ascending
    PackedRow block;    // those of variables in the block, at their places in it
  };

  // Model and columns must outlive it.
  struct Source {
    const LinearModel& model;
    const Vector& columns;                     // C
    std::shared_ptr<const SparseRows> matrix;  // A without the block's columns, for data already times C
    ModeClasses classes;
    Split split = {};
  };

  // `draws`: how many the loop will make, as far as is known.
  PackedSamples(Source source, double draws);

  // False: all samples are packed, and found by their numbers.
  bool few_at_a_time() const { return few_at_a_time_; }
  // Packs these in the place of those before: the k-th is then found as k.
  void make_ready(std::span<const Sample> samples);
  // Of draws that are yet to come there are so many, by a clock that knows better: packs all where that pays,
  // and says so.
  bool expect_draws(double draws);

  [[gnu::always_inline]] Row operator[](Index i) const {
    const std::size_t begin = starts_[static_cast<std::size_t>(i)];
    const double* const at = words_.data() + begin;
    const double* const values = at + head_;
    if (!has_block_) {
      const std::size_t words = starts_[static_cast<std::size_t>(i) + 1] - begin - head_;
      // A word a value, half of one a place, an eighth a class
      const std::size_t count = classes_ ? 8 * words / 13 : 2 * words / 3;
      const std::uint32_t* const places = integers(values + count);
      return {at[0],
              {at + 1, shares_},
              {values, places, static_cast<Index>(count), classes_at(places + count)},
              {nullptr, nullptr, 0, nullptr}};
    }
    Content counts;
    std::memcpy(&counts, at + head_ - 1, sizeof counts);
    const double* const of_block = values + counts.entries;
    const std::uint32_t *const places = integers(of_block + counts.block), *const block_places =
                                                                               places + counts.entries;
    return {at[0],
            {at + 1, shares_},
            {values, places, counts.entries, classes_at(block_places + counts.block)},
            {of_block, block_places, counts.block, nullptr}};
  }
  [[gnu::always_inline]] void expect(Index i) const {
    prefetch(words_.data() + starts_[static_cast<std::size_t>(i)],
             words_.data() + starts_[static_cast<std::size_t>(i) + 1]);
  }
  [[gnu::always_inline]] void expect_start(Index i) const {
    prefetch(&starts_[static_cast<std::size_t>(i)], 2);
  }

 private:
  // With a block the word before the values; without, everything follows from the length.
  struct Content {
    std::uint32_t entries, block;
  };
  static const std::uint32_t* integers(const double* at) {
    return reinterpret_cast<const std::uint32_t*>(at);
  }
  const std::uint8_t* classes_at(const std::uint32_t* end_of_places) const {
    return classes_ ? reinterpret_cast<const std::uint8_t*>(end_of_places) : nullptr;
  }

  bool pays(double draws) const;  // to pack all of them; where there is the memory for it
  void pack_all();
  template <class SampleAt>
  void pack(std::size_t count, const SampleAt& sample_at);
  Content content_of(Index sample) const;
  std::size_t words_for(const Content& content) const;
  void write(Index sample, double* to) const;

  Source source_;
  SparseColumns by_columns_;  // A
  bool classes_;              // several
  bool has_block_;
  Index shares_;  // numbers of A a_i
  bool few_at_a_time_;
  std::size_t head_;  // words before the values
  LargeArray<std::size_t> starts_{0};
  LargeArray<double> words_{0};
};

}  // namespace bridle
