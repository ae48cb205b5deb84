// PROBLEM.toml -> Problem. The keys are described in docs/problem-files.md. An .lp, .mps or .qps file is a
// problem too.
#pragma once

#include <string>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle {

struct StatedProblem {
  Problem problem;
  std::string description;            // one line: what the objective is
  std::vector<std::string> notes;     // what was done on the way, such as rows dropped for missing values
  std::vector<Index> file_rows = {};  // samples that came from each data file
};

// A section [network] is left to `bridle consensus`: here the problem is a centralised one.
StatedProblem read_problem(const std::string& path);

}  // namespace bridle
