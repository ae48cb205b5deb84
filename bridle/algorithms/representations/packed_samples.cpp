#include "bridle/algorithms/representations/packed_samples.hpp"

namespace bridle {
namespace {

std::size_t words_of_all(const SparseRows& data, std::size_t head) {
  std::size_t out = 0;
  const auto* starts = data.outerIndexPtr();
  for (Index i = 0; i < data.rows(); ++i) {
    const auto entries = static_cast<std::size_t>(starts[i + 1] - starts[i]);
    out += head + entries + (entries + 1) / 2;
  }
  return out;
}

}  // namespace

PackedSamples::PackedSamples(const SparseRows& data, const Vector& labels, const Vector& columns,
                             const SparseRows& matrix)
    : head_(1 + static_cast<std::size_t>(matrix.rows())),
      starts_(static_cast<std::size_t>(data.rows()) + 1),
      words_(words_of_all(data, head_)) {
  const auto* starts = data.outerIndexPtr();
  for (Index i = 0; i < data.rows(); ++i) {
    const std::size_t begin = starts_[static_cast<std::size_t>(i)];
    const Index entries = starts[i + 1] - starts[i];
    const std::int32_t* const own = data.innerIndexPtr() + starts[i];
    double* const at = words_.data() + begin;
    at[0] = labels[i];
    for (Index e = 0; e < entries; ++e)
      at[head_ + static_cast<std::size_t>(e)] = data.valuePtr()[starts[i] + e] * columns[own[e]];
    for (Index e = 0; e < entries; ++e) {
      const std::uint32_t place = 2 * static_cast<std::uint32_t>(own[e]);
      std::memcpy(reinterpret_cast<char*>(at + head_ + entries) + sizeof place * static_cast<std::size_t>(e),
                  &place, sizeof place);
    }
    starts_[static_cast<std::size_t>(i) + 1] = begin + head_ + words_for(entries);
  }
  // A a_i, one row of A at a time.
  Vector row(matrix.cols());
  for (Index r = 0; r < matrix.rows(); ++r) {
    row.setZero();
    for (SparseRows::InnerIterator it(matrix, r); it; ++it) row[it.col()] = it.value();
    for (Index i = 0; i < data.rows(); ++i) {
      const Row sample = (*this)[i];
      double sum = 0;
      for (Index e = 0; e < sample.entries.count; ++e)
        sum += sample.entries.values[e] * row[sample.entries.column(e)];
      words_[starts_[static_cast<std::size_t>(i)] + 1 + static_cast<std::size_t>(r)] = sum;
    }
  }
}

}  // namespace bridle
