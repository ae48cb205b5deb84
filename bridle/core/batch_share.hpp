// Samples spread over processes: each evaluates its share of a batch, and all have the sum.
#pragma once

#include "bridle/core/sampling.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

class BatchShare {
 public:
  virtual ~BatchShare() = default;
  // True in one of the processes: it writes for all.
  virtual bool first() const = 0;
  // True when sample number k of a batch is evaluated in this process.
  virtual bool mine(Index k, Sample sample) const = 0;
  // figures <- the sum, or the largest, over all processes: the same bits in each. Collectives.
  virtual void sum(VectorRef figures) const = 0;
  virtual void largest(VectorRef figures) const = 0;
};

// out <- the sum over a batch of what add_term(sample) adds to it, each sample in one process. All samples
// are drawn in every process, so that each knows which come next.
template <class Draw, class AddTerm>
void sum_over_shared_batch(const BatchShare& share, Index batch, Draw&& draw, VectorRef out,
                           AddTerm&& add_term) {
  out.setZero();
  for (Index k = 0; k < batch; ++k) {
    const auto sample = draw();
    if (share.mine(k, sample)) add_term(sample);
  }
  share.sum(out);
}

}  // namespace bridle
