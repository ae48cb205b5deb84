// Counter-based random numbers (Random123's Philox): every draw is a function of (seed, purpose, counter), so
// that iteration t's sample can be had without the draws before it, on any thread, in any order.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include <Random123/philox.h>

#include "bridle/core/types.hpp"

namespace bridle {

// What a stream of random numbers is for. Streams of different purposes never overlap.
enum class Purpose : std::uint32_t {
  samples,       // which sample iteration t uses
  permutation,   // order of a reshuffled epoch
  noise,         // gradient noise inside an objective
  output_time,   // the theory's uniformly random t*
  curvature,     // probes of curvature estimates
  certificate,   // the judge's independent batch
  constraint,    // draws of stochastic rows (zeta)
  constraint_1,  // second, independent draw (zeta')
  constraint_2,  // third, independent draw (zeta'')
  first_batch,   // STORM's first gradient, post-processing batches
  generator,     // made-up problems
  network        // made-up graphs, the seeds of nodes
};

struct RandomPair {
  std::uint64_t first, second;
};

class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        purpose_(static_cast<std::uint32_t>(purpose)) {}

  // 128 random bits at (counter, lane); lanes below 2^32.
  RandomPair bits(std::uint64_t counter, std::uint32_t lane = 0) const {
    const r123::Philox4x32::ctr_type input{
        {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), lane, purpose_}};
    const auto out = r123::Philox4x32{}(input, key_);
    return {static_cast<std::uint64_t>(out[0]) | static_cast<std::uint64_t>(out[1]) << 32,
            static_cast<std::uint64_t>(out[2]) | static_cast<std::uint64_t>(out[3]) << 32};
  }

  // Uniform on {0, ..., count-1}; the bias is below count / 2^64.
  std::uint64_t below(std::uint64_t count, std::uint64_t counter, std::uint32_t lane = 0) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits(counter, lane).first) * count) >> 64);
  }

  double uniform(std::uint64_t counter, std::uint32_t lane = 0) const {
    return to_unit(bits(counter, lane).first);
  }

  double normal(std::uint64_t counter, std::uint32_t lane = 0) const {
    const auto [a, b] = bits(counter, lane);
    return radius(a) * std::cos(2 * std::numbers::pi * to_unit(b));
  }

  // Independent standard normals, two from each Philox block.
  void fill_normal(VectorRef out, std::uint64_t counter) const {
    for (Index j = 0; j < out.size(); j += 2) {
      const auto [a, b] = bits(counter, static_cast<std::uint32_t>(j / 2));
      const double r = radius(a), angle = 2 * std::numbers::pi * to_unit(b);
      out[j] = r * std::cos(angle);
      if (j + 1 < out.size()) out[j + 1] = r * std::sin(angle);
    }
  }

 private:
  static double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }
  static double radius(std::uint64_t bits) { return std::sqrt(-2 * std::log(1.0 - to_unit(bits))); }

  r123::Philox4x32::key_type key_;
  std::uint32_t purpose_;
};

}  // namespace bridle
