// The variables of the method in the standard form, written out as plain vectors.
#pragma once

#include <cstdint>

#include "bridle/core/types.hpp"

namespace bridle {

struct Iterate {
  Vector x;                  // the paper's x: variables and slacks
  Vector z;                  // the smoothed point that x is held near
  Vector y;                  // multipliers of A x = b
  std::uint64_t draws = 0;   // samples drawn so far, through all stages
  std::uint64_t resets = 0;  // times the dual safeguard set y to 0
  std::uint64_t round = 0;   // iterations after which workers average their states; 0: not chosen yet

  // What variance-reduced methods carry; empty elsewhere.
  Vector estimate;           // dhat: of grad f(x)
  Vector residual_estimate;  // of A x - b
  Vector pull_estimate;      // of A'y + rho A'(A x - b)
  Vector previous_x, previous_y;
  Vector own;  // what a rival carries besides; its file says what

  bool finite() const { return x.allFinite() && z.allFinite() && y.allFinite(); }

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, z, y, draws, resets, round, estimate, residual_estimate, pull_estimate, previous_x, previous_y,
            own);
  }
};

}  // namespace bridle
