// Missing values of a table that was read with io::Missing::keep: filled, or their rows left out.
#pragma once

#include <vector>

#include "bridle/io/csv.hpp"

namespace bridle {

// What stands for a missing value of a column: the mean of a numeric one, the most frequent category of
// another.
struct Fill {
  std::string column;
  bool numeric = true;
  double number = 0;
  std::string category = {};
};

// For the columns named. Throws InputError for a column without a single value.
std::vector<Fill> learn_fills(const io::Table& table, const Names& columns);

// Puts the fills in place; returns how many values were missing.
Index fill_missing(io::Table& table, const std::vector<Fill>& fills);

// Leaves out the rows in which one of the columns has no value; adds their number to dropped_rows.
void drop_rows_without(io::Table& table, const Names& columns);

}  // namespace bridle
