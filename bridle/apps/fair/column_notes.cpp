#include "bridle/apps/fair/column_notes.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace bridle {
namespace {

constexpr Index fewest_rows = 50;  // in fewer, values of a common column are often all different
constexpr double nearly = 0.9;
constexpr std::size_t fewest_codes = 3, most_codes = 10;

// Distinct numbers, counted up to `most`; 0 where one is not whole.
std::size_t distinct_whole_numbers(const io::Column& column, std::size_t most) {
  std::unordered_set<double> seen;
  for (const double v : column.numbers) {
    if (std::isnan(v)) continue;
    if (v != std::floor(v)) return 0;
    seen.insert(v);
    if (seen.size() > most) break;
  }
  return seen.size();
}

}  // namespace

Names columns_like_ids(const io::Table& table, const Names& keep) {
  for (const auto& name : keep) static_cast<void>(table.column(name));
  Names out;
  if (table.rows < fewest_rows) return out;
  const auto rows = static_cast<double>(table.rows);
  for (const auto& column : table.columns) {
    if (std::find(keep.begin(), keep.end(), column.name) != keep.end()) continue;
    const bool like_id = column.numeric
                             ? distinct_whole_numbers(column, column.numbers.size()) == column.numbers.size()
                             : static_cast<double>(column.categories.size()) > nearly * rows;
    if (like_id) out.push_back(column.name);
  }
  return out;
}

Names columns_like_codes(const io::Table& table) {
  Names out;
  for (const auto& column : table.columns) {
    if (!column.numeric) continue;
    const std::size_t distinct = distinct_whole_numbers(column, most_codes);
    if (distinct >= fewest_codes && distinct <= most_codes) out.push_back(column.name);
  }
  return out;
}

}  // namespace bridle
