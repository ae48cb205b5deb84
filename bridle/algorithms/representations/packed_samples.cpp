#include "bridle/algorithms/representations/packed_samples.hpp"

#include <algorithm>
#include <numeric>

#include "bridle/core/threads.hpp"

namespace bridle {
namespace {

// Samples that a thread packs at a time; and how many of those that come later are asked of the memory.
constexpr std::size_t packed_at_a_time = 4096, looks_ahead = 8;
// Of each sample: packing all of them, by two threads, takes as long as one that packs as it goes; by one
// thread twice as long.
constexpr double draws_that_pay = 2;
// Numbers of A a_i over entries of a sample, of which eight are counted where there are fewer: all samples
// together then take at most some four times the memory of sparse data.
constexpr double most_shares = 4;
static_assert(place_of_class(ModeClasses::most - 1) == 2 * (ModeClasses::most - 1),
              "places of classes are bytes");

}  // namespace

PackedSamples::PackedSamples(Source source, double draws)
    : source_(std::move(source)),
      by_columns_(*source_.matrix),
      classes_(source_.classes.count() > 1),
      has_block_(!source_.split.block.empty()),
      shares_(source_.matrix->rows() * source_.classes.numbers_of_a_row()),
      few_at_a_time_(!pays(draws)),
      head_(static_cast<std::size_t>(1 + shares_ + (has_block_ ? 1 : 0))) {
  if (!few_at_a_time_) pack_all();
}

void PackedSamples::pack_all() {
  pack(static_cast<std::size_t>(source_.model.features().rows()),
       [](std::size_t k) { return static_cast<Index>(k); });
}

bool PackedSamples::pays(double draws) const {
  const Features& features = source_.model.features();
  const auto samples = static_cast<double>(features.rows());
  return draws > draws_that_pay * samples &&
         static_cast<double>(shares_) * samples <= most_shares * std::max(features.entries(), 8 * samples);
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
  Content out{0, 0};
  source_.model.features().for_each(
      sample, [&](Index j, double) { ++(source_.split.place_of(j) < 0 ? out.entries : out.block); });
  return out;
}

std::size_t PackedSamples::words_for(const Content& content) const {
  const std::size_t entries = content.entries + content.block;
  return head_ + entries + (entries + 1) / 2 + (classes_ ? (content.entries + 7) / 8 : 0);
}

void PackedSamples::write(Index sample, double* to) const {
  const Content content = content_of(sample);
  const Index numbers_of_a_row = source_.classes.numbers_of_a_row();
  double *const shares = to + 1, *values = to + head_, *of_block = values + content.entries;
  auto* places = reinterpret_cast<std::uint32_t*>(of_block + content.block);
  std::uint32_t* block_places = places + content.entries;
  auto* classes = reinterpret_cast<std::uint8_t*>(block_places + content.block);
  *to = source_.model.labels()[sample];
  std::fill_n(shares, shares_, 0.0);
  if (has_block_) std::memcpy(values - 1, &content, sizeof content);

  source_.model.features().for_each(sample, [&](Index j, double value) {
    const double scaled = value * source_.columns[j];
    if (const Index in_block = source_.split.place_of(j); in_block >= 0) {
      *of_block++ = scaled;
      *block_places++ = place_of_pair(in_block);
      return;
    }
    const Index of_class = source_.classes.of(j);
    *values++ = scaled;
    *places++ = place_of_pair(j);
    if (classes_) *classes++ = place_of_class(of_class);
    for (SparseColumns::InnerIterator it(by_columns_, j); it; ++it)
      shares[it.row() * numbers_of_a_row + of_class] += scaled * it.value();
  });
}

}  // namespace bridle
