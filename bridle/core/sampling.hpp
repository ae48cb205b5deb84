// Which sample iteration t uses: independent draws, or epochs in a freshly shuffled order that is never
// stored.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include "bridle/core/random.hpp"

namespace bridle {

// A sample of the random variable xi. For a finite sum it is the index of the term; for an endless stream it
// is a random 64-bit number from which the objective derives all its randomness.
using Sample = std::uint64_t;

inline constexpr Index endless = -1;

enum class Sampling { independent, reshuffled };

using FeistelKeys = std::array<std::uint64_t, 4>;

// Four rounds on the two halves, of `half` bits each, of v.
[[gnu::always_inline]] inline std::uint64_t feistel_rounds(const FeistelKeys& keys, int half,
                                                           std::uint64_t v) {
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t left = v >> half, right = v & mask;
  for (const std::uint64_t key : keys) {
    std::uint64_t mixed = right ^ key;  // the finaliser of SplitMix64
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    const std::uint64_t next = left ^ ((mixed ^ (mixed >> 31)) & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}
// The same for all of `values`, several at once.
void feistel_each(const FeistelKeys& keys, int half, std::span<std::uint64_t> values);

// A pseudo-random permutation of {0, ..., count-1}: four Feistel rounds keyed by (seed, epoch), cycle-walking
// inside the next even power of two (fewer than four tries on average).
class KeyedPermutation {
 public:
  // Workers permute their shares independently of each other.
  KeyedPermutation(std::uint64_t count, std::uint64_t seed, std::uint32_t worker = 0)
      : count_(count), stream_(seed, Purpose::permutation), lane_(4 * worker) {
    const int bits = count <= 1 ? 2 : std::bit_width(count - 1);
    half_ = (bits + 1) / 2;
    set_epoch(0);
  }

  void set_epoch(std::uint64_t epoch) {
    for (std::uint32_t round = 0; round < 4; ++round) keys_[round] = stream_.bits(epoch, lane_ + round).first;
  }

  std::uint64_t operator()(std::uint64_t position) const {
    do position = feistel(position);
    while (position >= count_);
    return position;
  }
  static constexpr std::uint64_t most_at_once = 256;
  // The same for up to so many positions at once: the rounds of one overlap with those of the others.
  void operator()(std::span<std::uint64_t> positions) const {
    std::array<std::uint8_t, most_at_once> walking;  // those still outside, in the order of the positions
    feistel_each(keys_, half_, positions);
    std::size_t left = 0;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      walking[left] = static_cast<std::uint8_t>(k);
      left += positions[k] >= count_;
    }
    std::array<std::uint64_t, most_at_once> values;
    while (left > 0) {
      for (std::size_t k = 0; k < left; ++k) values[k] = positions[walking[k]];
      feistel_each(keys_, half_, std::span(values.data(), left));
      std::size_t still = 0;
      for (std::size_t k = 0; k < left; ++k) {
        const std::uint8_t which = walking[k];
        positions[which] = values[k];
        walking[still] = which;
        still += values[k] >= count_;
      }
      left = still;
    }
  }

 private:
  std::uint64_t feistel(std::uint64_t v) const { return feistel_rounds(keys_, half_, v); }

  std::uint64_t count_;
  Stream stream_;
  std::uint32_t lane_;
  int half_;
  FeistelKeys keys_;
};

// Draw number t -> sample. Draws are numbered from 0 through the whole run; a batch of B uses B consecutive
// draws. Every worker has draws of its own.
class Sampler {
 public:
  Sampler(Index sample_count, Sampling sampling, std::uint64_t seed, std::uint32_t worker = 0)
      : count_(sample_count),
        worker_(worker),
        reshuffled_(sampling == Sampling::reshuffled && sample_count != endless),
        stream_(seed, Purpose::samples),
        permutation_(sample_count == endless ? 1 : static_cast<std::uint64_t>(sample_count), seed, worker) {}

  Sample operator()(std::uint64_t draw) {
    if (count_ == endless) return stream_.bits(draw, worker_).first;
    const auto count = static_cast<std::uint64_t>(count_);
    if (!reshuffled_) return stream_.below(count, draw, worker_);
    set_epoch(draw / count);
    return permutation_(draw % count);
  }
  // Draws first, first + 1, ... into `out`.
  void operator()(std::uint64_t first, std::span<Sample> out) {
    const auto count = static_cast<std::uint64_t>(count_);
    if (!reshuffled_) {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = (*this)(first + k);
      return;
    }
    while (!out.empty()) {  // an epoch at a time
      const std::uint64_t position = first % count;
      const auto here =
          out.first(std::min<std::uint64_t>({out.size(), count - position, KeyedPermutation::most_at_once}));
      set_epoch(first / count);
      std::iota(here.begin(), here.end(), position);
      permutation_(here);
      first += here.size();
      out = out.subspan(here.size());
    }
  }

 private:
  void set_epoch(std::uint64_t epoch) {
    if (epoch != epoch_) permutation_.set_epoch(epoch_ = epoch);
  }

  Index count_;
  std::uint32_t worker_;
  bool reshuffled_;
  Stream stream_;
  KeyedPermutation permutation_;
  std::uint64_t epoch_ = 0;
};

// The samples of the coming draws, computed a block at a time: known ahead, so that their data can be asked
// of the memory before it is needed.
class SamplesAhead {
 public:
  static constexpr std::uint64_t reach = 12;  // draws one may look ahead

  explicit SamplesAhead(Sampler sampler) : sampler_(sampler) {}

  // The sample of `draw`; draws are asked for in rising order.
  Sample operator()(std::uint64_t draw) {
    if (draw < begin_ || draw + reach >= begin_ + size) sampler_(begin_ = draw, block_);
    return block_[draw - begin_];
  }
  // The sample of a draw up to `reach` after the one last asked for.
  Sample peek(std::uint64_t draw) const { return block_[draw - begin_]; }
  Sampler& without_looking_ahead() { return sampler_; }

 private:
  static constexpr std::uint64_t size = 128;

  Sampler sampler_;
  std::uint64_t begin_ = ~std::uint64_t{0};  // the block holds the samples of the draws from here on
  std::array<Sample, size> block_ = {};
};

}  // namespace bridle
