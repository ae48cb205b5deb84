// [[constraints.rate]]: rates of positive scores that differ by at most a gap between groups, smoothed.
#pragma once

#include <string>
#include <vector>

#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/io/csv.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

struct StatedRate {
  std::string groups;             // a column of the data, no feature
  std::string condition = "all";  // which samples count: all, positive, negative
  double gap = 0, slope = 4;
  std::string name;  // of the rows; empty: from the column
  long line = 0;
};

std::vector<StatedRate> read_rates(TomlSection& constraints);
// One row for every two groups. `file` stands in front of error messages.
void add_rate(Problem& problem, const StatedRate& rate, const io::Table& table, const std::string& file);

}  // namespace bridle
