// The samples of a batch, in memory that is kept.
#pragma once

#include <span>
#include <vector>

#include "bridle/core/sampling.hpp"

namespace bridle {

class DrawnBatch {
 public:
  template <class Draw>
  void draw(Index count, Draw&& next) {
    samples_.clear();
    for (Index k = 0; k < count; ++k) samples_.push_back(next());
  }
  std::span<const Sample> all() const { return samples_; }

 private:
  std::vector<Sample> samples_;
};

}  // namespace bridle
