// PROBLEM.toml -> Problem. The keys are described in docs/problem-files.md. An .lp, .mps or .qps file is a
// problem too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridle/apps/data/file_share.hpp"
#include "bridle/core/processes.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

struct StatedProblem {
  Problem problem;
  std::string description;            // one line: what the objective is
  std::vector<std::string> notes;     // what was done on the way, such as rows dropped for missing values
  std::vector<Index> file_rows = {};  // samples that came from each data file read here
  Index samples = 0;                  // of all data files, wherever they are read
};

// A section [network] is left to `bridle consensus`: here the problem is a centralised one.
// With a share the objective is that of this process's data files.
StatedProblem read_problem(const std::string& path, const FileShare* share = nullptr);

// A problem that several ranks work on. Each keeps some of a linear model's samples: those of its own data
// files where there is one or more for each, and no rank reads another's; else its part of the rows.
// Of other objectives each has all, and they share the work of a batch. `processes` are these ranks.
StatedProblem read_problem_over(const Ranks& ranks, const std::string& path,
                                const std::shared_ptr<const Processes>& processes);

// A problem over a linear model whose samples lie with the workers that have them as their shares, each rank
// having those of its own workers alone. Ranks read parts of the data, as above, and then exchange samples:
// shares are of the data in its order, or shuffled by a seed. `workers.among` are these ranks.
StatedProblem read_problem_in_shares(const Ranks& ranks, const std::string& path, const Shares& workers,
                                     std::optional<std::uint64_t> shuffled);

}  // namespace bridle
