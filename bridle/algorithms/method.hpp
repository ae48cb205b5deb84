// What the driver knows of an algorithm: it can be run for a number of iterations and looked at.
#pragma once

#include "bridle/algorithms/iterate.hpp"

namespace bridle {

class Method {
 public:
  virtual ~Method() = default;
  // Runs iterations first, first + 1, ..., first + count - 1 of the stage.
  virtual void run(const Stage& stage, std::uint64_t first, std::uint64_t count) = 0;
  virtual const Iterate& state() const = 0;
};

// How an algorithm draws its samples.
struct Drawing {
  Sampling sampling = Sampling::reshuffled;
  Index batch = 1;
  std::uint64_t seed = 1;
};

}  // namespace bridle
