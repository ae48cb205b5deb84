// The problems on which the second-order phase is timed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle::bench {

struct TimedProblem {
  std::string name;
  std::function<Problem()> make;
  double epochs = 0;          // of plain stochastic steps before the phase: nonconvex losses need a basin
  bool only_by_name = false;  // large: left out unless it is asked for
};

std::vector<TimedProblem> second_order_problems(const std::filesystem::path& data);

}  // namespace bridle::bench
