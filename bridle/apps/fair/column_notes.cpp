#include "bridle/apps/fair/column_notes.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "bridle/apps/data/number_notes.hpp"
#include "bridle/core/name_list.hpp"

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

// Text with a category for nearly every row, and whole numbers that are all different.
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

// Numeric columns with three to ten distinct values, all of them whole.
Names columns_like_codes(const io::Table& table) {
  Names out;
  for (const auto& column : table.columns) {
    if (!column.numeric) continue;
    const std::size_t distinct = distinct_whole_numbers(column, most_codes);
    if (distinct >= fewest_codes && distinct <= most_codes) out.push_back(column.name);
  }
  return out;
}

}  // namespace

Names notes_on_columns(const io::Table& table, const Names& keep, Names& excluded) {
  const auto has = [](const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Names notes;
  const Names commas = columns_of_numbers_as_text(table), asked = excluded;
  for (const auto& name : columns_like_ids(table, keep)) {
    if (has(asked, name)) continue;
    excluded.push_back(name);
    if (!has(commas, name))
      notes.push_back(fmt::format(
          "column '{}' has a value of its own in nearly every row, like an id: left out (--keep {} "
          "keeps it)",
          name, as_argument(name)));
  }
  for (const auto& name : commas)
    if (!has(asked, name))
      notes.push_back(
          note_on_numbers_as_text(table.column(name), has(excluded, name) ? "left out" : "taken as text"));
  for (const auto& name : columns_like_codes(table))
    if (!has(excluded, name))
      notes.push_back(
          fmt::format("column '{}' has few distinct whole numbers and is taken as a number; --categorical {} "
                      "if they are codes",
                      name, as_argument(name)));
  return notes;
}

}  // namespace bridle
