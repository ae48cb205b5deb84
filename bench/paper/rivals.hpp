// One run of a method in the comparison, and the grid each is tuned on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"

namespace bridle::paper {

inline constexpr double targets[] = {1e-1, 3e-2, 1e-2, 3e-3};
inline constexpr std::size_t target_count = std::size(targets);

// A point of the grid. The third number is the dual step in its natural unit where the method has one, else
// STORM's momentum.
struct Setting {
  double tau, rho, third;
};

// Why the method's setting does not cover the family; empty when it does.
std::string does_not_apply(const AlgorithmDescription& method, const Family& family);

std::vector<Setting> grid_of(const AlgorithmDescription& method);

struct Reached {
  double evaluations[target_count];  // infinity: not within the budget
  double last_error = infinity;
};

// Sample gradients until the judge's relative error is at most eps at two visits in a row (ten visits a
// decade, multipliers improved by the judge for all methods alike). Methods that carry z are judged at the
// better of x and z. The rounds of stoc-ialm are parts of a horizon fixed beforehand: it is run with horizons
// a factor sqrt(10) apart and each target takes the best of them.
Reached run_rival(const AlgorithmDescription& method, const Family& family, const Setting& setting,
                  double budget, std::uint64_t seed);

}  // namespace bridle::paper
