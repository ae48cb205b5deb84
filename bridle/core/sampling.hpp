// Which sample iteration t uses: independent draws, or epochs in a freshly shuffled order that is never
// stored.
#pragma once

#include <bit>

#include "bridle/core/random.hpp"

namespace bridle {

// A sample of the random variable xi. For a finite sum it is the index of the term; for an endless stream it
// is a random 64-bit number from which the objective derives all its randomness.
using Sample = std::uint64_t;

inline constexpr Index endless = -1;

enum class Sampling { independent, reshuffled };

// A pseudo-random permutation of {0, ..., count-1}: four Feistel rounds keyed by (seed, epoch), cycle-walking
// inside the next even power of two (fewer than four tries on average).
class KeyedPermutation {
 public:
  KeyedPermutation(std::uint64_t count, std::uint64_t seed)
      : count_(count), stream_(seed, Purpose::permutation) {
    const int bits = count <= 1 ? 2 : std::bit_width(count - 1);
    half_ = (bits + 1) / 2;
    mask_ = (std::uint64_t{1} << half_) - 1;
    set_epoch(0);
  }

  void set_epoch(std::uint64_t epoch) {
    for (std::uint32_t round = 0; round < 4; ++round) keys_[round] = stream_.bits(epoch, round).first;
  }

  std::uint64_t operator()(std::uint64_t position) const {
    do position = feistel(position);
    while (position >= count_);
    return position;
  }

 private:
  std::uint64_t feistel(std::uint64_t v) const {
    std::uint64_t left = v >> half_, right = v & mask_;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (mix(right ^ key) & mask_);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }
  static std::uint64_t mix(std::uint64_t v) {  // the finaliser of SplitMix64
    v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9ULL;
    v = (v ^ (v >> 27)) * 0x94D049BB133111EBULL;
    return v ^ (v >> 31);
  }

  std::uint64_t count_;
  Stream stream_;
  int half_;
  std::uint64_t mask_;
  std::uint64_t keys_[4];
};

// Draw number t -> sample. Draws are numbered from 0 through the whole run; a batch of B uses B consecutive
// draws.
class Sampler {
 public:
  Sampler(Index sample_count, Sampling sampling, std::uint64_t seed)
      : count_(sample_count),
        reshuffled_(sampling == Sampling::reshuffled && sample_count != endless),
        stream_(seed, Purpose::samples),
        permutation_(sample_count == endless ? 1 : static_cast<std::uint64_t>(sample_count), seed) {}

  Sample operator()(std::uint64_t draw) {
    if (count_ == endless) return stream_.bits(draw).first;
    const auto count = static_cast<std::uint64_t>(count_);
    if (!reshuffled_) return stream_.below(count, draw);
    if (const std::uint64_t epoch = draw / count; epoch != epoch_) permutation_.set_epoch(epoch_ = epoch);
    return permutation_(draw % count);
  }

 private:
  Index count_;
  bool reshuffled_;
  Stream stream_;
  KeyedPermutation permutation_;
  std::uint64_t epoch_ = 0;
};

// The samples of the coming draws, computed a block at a time: known ahead, so that their data can be asked
// of the memory before it is needed.
class SamplesAhead {
 public:
  static constexpr std::uint64_t reach = 16;  // draws one may look ahead

  explicit SamplesAhead(Sampler sampler) : sampler_(sampler) {}

  // The sample of `draw`; draws are asked for in rising order.
  Sample operator()(std::uint64_t draw) {
    if (draw < begin_ || draw + reach >= end_) refill(draw);
    return ring_[draw % size];
  }
  // The sample of a draw up to `reach` after the one last asked for.
  Sample peek(std::uint64_t draw) const { return ring_[draw % size]; }

 private:
  static constexpr std::uint64_t size = 64;

  void refill(std::uint64_t draw) {
    if (draw < begin_ || draw > end_) end_ = draw;
    begin_ = draw;
    for (; end_ < draw + size; ++end_) ring_[end_ % size] = sampler_(end_);
  }

  Sampler sampler_;
  std::uint64_t begin_ = 0, end_ = 0;  // draws whose samples the ring holds
  Sample ring_[size] = {};
};

}  // namespace bridle
