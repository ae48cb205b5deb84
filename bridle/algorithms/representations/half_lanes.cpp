#include "bridle/algorithms/representations/half_lanes.hpp"

namespace bridle {

BRIDLE_DISPATCH void add_multiple(Index count, double factor, const double* from, double* to) {
  HalfPack sum, other;
  for (Index k = 0; k < count; k += half_lanes) {
    load(sum, to + k), load(other, from + k);
    sum += factor * other;
    store(to + k, sum);
  }
}

BRIDLE_DISPATCH double dot_product(Index count, const double* a, const double* b) {
  HalfPack sum{}, left, right;
  for (Index k = 0; k < count; k += half_lanes) {
    load(left, a + k), load(right, b + k);
    sum += left * right;
  }
  return sum_of(sum);
}

BRIDLE_DISPATCH void multiply(Index count, const double* a, const double* b, double* out) {
  HalfPack left, right;
  for (Index k = 0; k < count; k += half_lanes) {
    load(left, a + k), load(right, b + k);
    left *= right;
    store(out + k, left);
  }
}

}  // namespace bridle
