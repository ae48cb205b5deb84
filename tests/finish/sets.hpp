// The sets that the tests of this room go through.
#pragma once

#include <string>
#include <vector>

#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle::test {

inline constexpr Index finish_dimension = 12;

struct FinishSet {
  std::string name;
  AnySet set;
};

inline std::vector<FinishSet> finish_sets() {
  constexpr Index n = finish_dimension;
  const Vector low = Vector::Constant(n, -1), high = Vector::Constant(n, 1);
  Vector half_low = low, half_high = high, fixed_low = low, fixed_high = high;
  half_low.head(4).setConstant(-infinity);
  half_high.segment(2, 4).setConstant(infinity);
  fixed_low.head(3) = fixed_high.head(3) = vec(0.5, 0, -0.25);
  return {{"free", WholeSpace(n)},
          {"box", Box(low, high)},
          {"infinite_bounds", Box(half_low, half_high)},
          {"fixed_variables", Box(fixed_low, fixed_high)},
          {"simplex", Simplex(n)},
          {"half_space", HalfSpace(random_vector(n, 1), 0.1)},
          {"product", Product(n, {{index_range(0, 5), Simplex(5)},
                                  {{7, 6}, Box(vec(0, 0), vec(1, infinity))},
                                  {index_range(8, 3), HalfSpace(vec(1, 1, 1), 0.5)}})}};
}

}  // namespace bridle::test
