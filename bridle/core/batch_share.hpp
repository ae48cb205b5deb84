// A batch spread over processes: each evaluates its share of the samples, and all have the sum.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle {

class BatchShare {
 public:
  virtual ~BatchShare() = default;
  // True when sample k of a batch is evaluated in this process.
  virtual bool mine(Index k) const = 0;
  // gradient <- the sum over all processes, the same bits in each
  virtual void sum(VectorRef gradient) const = 0;
};

}  // namespace bridle
