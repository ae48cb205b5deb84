#include "bridle/algorithms/representations/packed_samples.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "bridle/core/threads.hpp"

namespace bridle {
namespace {

// Samples that a thread packs at a time; and how many of those that come later are asked of the memory.
constexpr std::size_t packed_at_a_time = 4096, looks_ahead = 8;
// Of each sample: packing all of them, by two threads, takes as long as one that packs as it goes; by one
// thread twice as long.
constexpr double draws_that_pay = 2;

// Classes as the bits of a number.
static_assert(ModeClasses::most <= 64);
std::uint64_t bit_of(Index of_class) { return std::uint64_t{1} << of_class; }

}  // namespace

// What the words of a sample are made of.
struct PackedSamples::Content {
  std::uint32_t entries = 0, block = 0;
  std::uint64_t touched = 0;  // classes of rows that it has shares in, as bits
};

PackedSamples::PackedSamples(Source source, double draws)
    : source_(std::move(source)),
      by_columns_(*source_.matrix),
      classes_(source_.classes.count() > 1),
      counted_(classes_ || !source_.split.block.empty()),
      few_at_a_time_(!pays(draws)),
      rows_(source_.matrix->rows()),
      head_(1 + static_cast<std::size_t>(rows_)) {
  if (!few_at_a_time_) pack_all();
}

void PackedSamples::pack_all() {
  pack(static_cast<std::size_t>(source_.model.features().rows()),
       [](std::size_t k) { return static_cast<Index>(k); });
}

bool PackedSamples::pays(double draws) const {
  return draws > draws_that_pay * static_cast<double>(source_.model.features().rows());
}

bool PackedSamples::expect_draws(double draws) {
  if (!few_at_a_time_ || !pays(draws)) return false;
  few_at_a_time_ = false;
  pack_all();
  return true;
}

void PackedSamples::make_ready(std::span<const Sample> samples) {
  pack(samples.size(), [&](std::size_t k) { return static_cast<Index>(samples[k]); });
}

template <class SampleAt>
void PackedSamples::pack(std::size_t count, const SampleAt& sample_at) {
  if (starts_.size() < count + 1) starts_ = LargeArray<std::size_t>(count + 1, not_set);
  starts_[0] = 0;
  const auto by_parts = [&](const auto& of_sample) {
    if (few_at_a_time_) {
      for (std::size_t k = 0; k < count; ++k) {
        if (k + looks_ahead < count) source_.model.features().expect(sample_at(k + looks_ahead));
        of_sample(k);
      }
      return;
    }
    in_parallel((count + packed_at_a_time - 1) / packed_at_a_time, threads_in_use(), [&](std::size_t part) {
      const std::size_t end = std::min(count, (part + 1) * packed_at_a_time);
      for (std::size_t k = part * packed_at_a_time; k < end; ++k) of_sample(k);
    });
  };
  by_parts([&](std::size_t k) { starts_[k + 1] = words_for(content_of(sample_at(k))); });
  std::partial_sum(starts_.data(), starts_.data() + count + 1, starts_.data());
  if (words_.size() < starts_[count]) words_ = LargeArray<double>(starts_[count], not_set);
  by_parts([&](std::size_t k) { write(sample_at(k), words_.data() + starts_[k]); });
}

PackedSamples::Content PackedSamples::content_of(Index sample) const {
  Content out;
  source_.model.features().for_each(sample, [&](Index j, double) {
    ++(source_.split.place_of(j) < 0 ? out.entries : out.block);
    if (classes_ && in_rows(j)) out.touched |= bit_of(source_.classes.of(j));
  });
  return out;
}

std::size_t PackedSamples::words_for(const Content& content) const {
  const std::size_t entries = content.entries + content.block;
  if (!counted_) return head_ + entries + (entries + 1) / 2;
  const auto of_rows = static_cast<std::size_t>(classes_ ? std::popcount(content.touched) : 1);
  return 2 + of_rows * static_cast<std::size_t>(rows_) + entries +
         (entries + (classes_ ? of_rows : 0) + 1) / 2;
}

void PackedSamples::write(Index sample, double* to) const {
  const Content content = content_of(sample);
  const auto touched = static_cast<std::uint16_t>(classes_ ? std::popcount(content.touched) : 1);
  *to++ = source_.model.labels()[sample];
  if (counted_) {
    const Counts counts{content.entries, static_cast<std::uint16_t>(content.block), touched};
    std::memcpy(to++, &counts, sizeof counts);
  }
  double *const shares = to, *values = to + rows_ * touched, *of_block = values + content.entries;
  auto* places = reinterpret_cast<std::uint32_t*>(of_block + content.block);
  std::uint32_t *block_places = places + content.entries, *integer = block_places + content.block;
  for (std::uint64_t left = classes_ ? content.touched : 0; left != 0; left &= left - 1)
    *integer++ = static_cast<std::uint32_t>(std::countr_zero(left));
  std::fill(shares, values, 0.0);

  source_.model.features().for_each(sample, [&](Index j, double value) {
    const double scaled = value * source_.columns[j];
    if (const Index in_block = source_.split.place_of(j); in_block >= 0) {
      *of_block++ = scaled;
      *block_places++ = static_cast<std::uint32_t>(in_block);
      return;
    }
    const Index of_class = source_.classes.of(j);
    *values++ = scaled;
    *places++ = Places::of(j, of_class, classes_);
    if (!in_rows(j)) return;
    const Index before = classes_ ? std::popcount(content.touched & (bit_of(of_class) - 1)) : 0;
    for (SparseColumns::InnerIterator it(by_columns_, j); it; ++it)
      shares[before * rows_ + it.row()] += scaled * it.value();
  });
}

}  // namespace bridle
