#include "bridle/algorithms/representations/packed_samples.hpp"

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

PackedSamples::PackedSamples(const LinearModel& model, const Vector& columns, const SparseRows& matrix,
                             const ModeClasses& classes)
    : classes_(classes.count() > 1),
      rows_(matrix.rows()),
      head_(1 + static_cast<std::size_t>(matrix.rows())),
      starts_(static_cast<std::size_t>(model.features().rows()) + 1),
      words_(lay_out(model.features(), classes, columns_of(matrix))) {
  fill(model, columns, classes, columns_of(matrix));
  fill_rows(matrix);
}

// Finds where every sample's words begin; returns how many there are in all.
std::size_t PackedSamples::lay_out(const Features& data, const ModeClasses& classes,
                                   const std::vector<bool>& in_rows) {
  for (Index i = 0; i < data.rows(); ++i) {
    std::size_t entries = 0;
    std::uint64_t touched = 0;
    data.for_each(i, [&](Index j, double) {
      ++entries;
      if (in_rows[static_cast<std::size_t>(j)]) touched |= bit_of(classes.of(j));
    });
    const auto of_rows = static_cast<std::size_t>(std::popcount(touched));
    const std::size_t words =
        classes_ ? 2 + of_rows * static_cast<std::size_t>(rows_) + entries + (entries + of_rows + 1) / 2
                 : head_ + entries + (entries + 1) / 2;
    starts_[static_cast<std::size_t>(i) + 1] = starts_[static_cast<std::size_t>(i)] + words;
  }
  return starts_[static_cast<std::size_t>(data.rows())];
}

void PackedSamples::fill(const LinearModel& model, const Vector& columns, const ModeClasses& classes,
                         const std::vector<bool>& in_rows) {
  std::vector<double> values;
  std::vector<std::uint32_t> integers;  // places, then classes
  for (Index i = 0; i < model.features().rows(); ++i) {
    values.clear();
    integers.clear();
    std::uint64_t touched = 0;
    model.features().for_each(i, [&](Index j, double value) {
      values.push_back(value * columns[j]);
      integers.push_back(Places::of(j, classes.of(j), classes_));
      if (in_rows[static_cast<std::size_t>(j)]) touched |= bit_of(classes.of(j));
    });
    double* const at = words_.data() + starts_[static_cast<std::size_t>(i)];
    at[0] = model.labels()[i];
    double* to = at + head_;
    if (classes_) {
      const Counts counts{static_cast<std::uint32_t>(values.size()),
                          static_cast<std::uint32_t>(std::popcount(touched))};
      std::memcpy(at + 1, &counts, sizeof counts);
      for (std::uint32_t k = 0; k < ModeClasses::most; ++k)
        if (touched & bit_of(k)) integers.push_back(k);
      to = at + 2 + rows_ * counts.classes;
    }
    std::copy(values.begin(), values.end(), to);
    if (!integers.empty())
      std::memcpy(to + values.size(), integers.data(), sizeof integers[0] * integers.size());
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
