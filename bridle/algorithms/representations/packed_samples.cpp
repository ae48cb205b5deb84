#include "bridle/algorithms/representations/packed_samples.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bridle {
namespace {

std::vector<bool> columns_of(const SparseRows& matrix) {
  std::vector<bool> out(static_cast<std::size_t>(matrix.cols()));
  for (Index r = 0; r < matrix.rows(); ++r)
    for (SparseRows::InnerIterator it(matrix, r); it; ++it) out[static_cast<std::size_t>(it.col())] = true;
  return out;
}

// Classes as the bits of a number.
static_assert(ModeClasses::most <= 64);
std::uint64_t bit_of(Index of_class) { return std::uint64_t{1} << of_class; }

}  // namespace

struct PackedSamples::Shape {
  const ModeClasses& classes;
  const Split& split;
  std::vector<bool> in_rows;  // of each variable

  // The classes of rows that a variable's samples have shares in, as bits.
  std::uint64_t touched(Index variable) const {
    return in_rows[static_cast<std::size_t>(variable)] ? bit_of(classes.of(variable)) : 0;
  }
};

PackedSamples::PackedSamples(const LinearModel& model, const Vector& columns, const SparseRows& matrix,
                             const ModeClasses& classes, const Split& split)
    : classes_(classes.count() > 1),
      counted_(classes_ || !split.block.empty()),
      rows_(matrix.rows()),
      head_(1 + static_cast<std::size_t>(matrix.rows())),
      starts_(static_cast<std::size_t>(model.features().rows()) + 1),
      words_(lay_out(model.features(), {classes, split, columns_of(matrix)})) {
  fill(model, columns, {classes, split, columns_of(matrix)});
  fill_rows(matrix);
}

// Finds where every sample's words begin; returns how many there are in all.
std::size_t PackedSamples::lay_out(const Features& data, const Shape& shape) {
  for (Index i = 0; i < data.rows(); ++i) {
    std::size_t entries = 0;
    std::uint64_t touched = 0;
    data.for_each(i, [&](Index j, double) {
      ++entries;
      touched |= shape.touched(j);
    });
    const auto of_rows = static_cast<std::size_t>(classes_ ? std::popcount(touched) : 1);
    const std::size_t words = counted_ ? 2 + of_rows * static_cast<std::size_t>(rows_) + entries +
                                             (entries + (classes_ ? of_rows : 0) + 1) / 2
                                       : head_ + entries + (entries + 1) / 2;
    starts_[static_cast<std::size_t>(i) + 1] = starts_[static_cast<std::size_t>(i)] + words;
  }
  return starts_[static_cast<std::size_t>(data.rows())];
}

void PackedSamples::fill(const LinearModel& model, const Vector& columns, const Shape& shape) {
  std::vector<double> values, of_block;
  std::vector<std::uint32_t> places, block_places, touched_classes;
  for (Index i = 0; i < model.features().rows(); ++i) {
    for (auto* numbers : {&values, &of_block}) numbers->clear();
    for (auto* numbers : {&places, &block_places, &touched_classes}) numbers->clear();
    std::uint64_t touched = 0;
    model.features().for_each(i, [&](Index j, double value) {
      const Index in_block = shape.split.place_of(j);
      (in_block < 0 ? values : of_block).push_back(value * columns[j]);
      if (in_block < 0)
        places.push_back(Places::of(j, shape.classes.of(j), classes_));
      else
        block_places.push_back(static_cast<std::uint32_t>(in_block));
      touched |= shape.touched(j);
    });
    for (std::uint64_t left = classes_ ? touched : 0; left != 0; left &= left - 1)
      touched_classes.push_back(static_cast<std::uint32_t>(std::countr_zero(left)));

    double* to = words_.data() + starts_[static_cast<std::size_t>(i)];
    *to++ = model.labels()[i];
    Index shares = rows_;
    if (counted_) {
      const Counts counts{static_cast<std::uint32_t>(values.size()),
                          static_cast<std::uint16_t>(of_block.size()),
                          static_cast<std::uint16_t>(classes_ ? touched_classes.size() : 1)};
      std::memcpy(to++, &counts, sizeof counts);
      shares *= counts.classes;
    }
    to += shares;  // filled later
    for (const auto* numbers : {&values, &of_block}) to = std::copy(numbers->begin(), numbers->end(), to);
    auto* integer = reinterpret_cast<std::uint32_t*>(to);
    for (const auto* numbers : {&places, &block_places, &touched_classes})
      integer = std::copy(numbers->begin(), numbers->end(), integer);
  }
}

// A a_i, one row of A at a time; the words are 0 so far.
void PackedSamples::fill_rows(const SparseRows& matrix) {
  Vector row(matrix.cols());
  const auto samples = static_cast<Index>(starts_.size()) - 1;
  for (Index r = 0; r < matrix.rows(); ++r) {
    row.setZero();
    for (SparseRows::InnerIterator it(matrix, r); it; ++it) row[it.col()] = it.value();
    for (Index i = 0; i < samples; ++i) {
      const Row sample = (*this)[i];
      double* const shares = words_.data() + (sample.rows.values - words_.data());
      std::array<Index, ModeClasses::most> position = {};  // of each class among the sample's
      for (Index k = 0; sample.rows.classes && k < sample.rows.count; ++k)
        position[sample.rows.classes[k]] = k;
      for (Index e = 0; e < sample.entries.count; ++e) {
        const double share = row[sample.entries.column(e)];
        if (share == 0) continue;
        const Index k = classes_ ? position[sample.entries.of_class(e)] : 0;
        shares[k * rows_ + r] += sample.entries.values[e] * share;
      }
    }
  }
}

}  // namespace bridle
