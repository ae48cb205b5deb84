// The samples of a batch, drawn piece by piece: memory for one piece is kept, and between two of them the run
// may be told to stop. Where a batch is cut depends on the objective alone, never on a clock.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bridle/problem/objective.hpp"

namespace bridle {

// Samples whose gradients take some tenths of a second at most, and much longer than adding up two of them.
Index samples_of_a_piece(const AnyObjective& objective);

// What may be thrown between two pieces: the batch is left.
struct LeftInBatch {};

class DrawnBatch {
 public:
  explicit DrawnBatch(const AnyObjective& objective) : piece_(samples_of_a_piece(objective)) {}

  // each(samples, share) for every piece, which is that share of the batch.
  template <class Draw, class Each>
  void for_each_piece(Index count, Draw&& draw, Each&& each) {
    for (Index done = 0; done < count; done += piece_) {
      if (done > 0) draw.between_pieces();
      const Index now = std::min(piece_, count - done);
      samples_.clear();
      for (Index k = 0; k < now; ++k) samples_.push_back(draw());
      each(std::span<const Sample>(samples_),
           now == count ? 1.0 : static_cast<double>(now) / static_cast<double>(count));
    }
  }

  // out <- the mean over a batch, where gradient(samples, g) is g <- the mean over these.
  template <class Draw, class Gradient>
  void mean(Index count, Draw&& draw, VectorRef out, Gradient&& gradient) {
    const bool in_pieces = count > piece_;
    if (in_pieces) {
      out.setZero();
      of_piece_.resize(out.size());
    }
    for_each_piece(count, draw, [&](std::span<const Sample> samples, double share) {
      gradient(samples, in_pieces ? VectorRef(of_piece_) : out);
      if (in_pieces) out += share * of_piece_;
    });
  }

 private:
  Index piece_;
  std::vector<Sample> samples_;
  Vector of_piece_;
};

}  // namespace bridle
