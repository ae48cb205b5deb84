#include "bridle/apps/fair/missing_values.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

io::Column& column_of(io::Table& table, const std::string& name) {
  return const_cast<io::Column&>(table.column(name));  // the table itself is ours to change
}

bool is_missing(const io::Column& column, std::size_t row) {
  return column.numeric ? std::isnan(column.numbers[row]) : column.codes[row] < 0;
}

Fill mean_of(const io::Column& column, const std::string& file) {
  double sum = 0, count = 0;
  for (const double v : column.numbers)
    if (!std::isnan(v)) sum += v, count += 1;
  if (count == 0) throw InputError(file, 0, "column '" + column.name + "' has no values to impute from");
  return {.column = column.name, .numeric = true, .number = sum / count};
}

Fill most_frequent_of(const io::Column& column, const std::string& file) {
  if (column.categories.empty())
    throw InputError(file, 0, "column '" + column.name + "' has no values to impute from");
  std::vector<Index> counts(column.categories.size(), 0);
  for (const auto code : column.codes)
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  const auto most = std::max_element(counts.begin(), counts.end()) - counts.begin();
  return {
      .column = column.name, .numeric = false, .category = column.categories[static_cast<std::size_t>(most)]};
}

// Position of the category, which joins the table's if it is new there.
std::int32_t code_of(io::Column& column, const std::string& category) {
  auto found = std::find(column.categories.begin(), column.categories.end(), category);
  if (found == column.categories.end()) found = column.categories.insert(found, category);
  return static_cast<std::int32_t>(found - column.categories.begin());
}

template <class Value>
void keep_only(std::vector<Value>& values, const std::vector<bool>& keep) {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < values.size(); ++row)
    if (keep[row]) values[kept++] = values[row];
  values.resize(kept);
}

}  // namespace

std::vector<Fill> learn_fills(const io::Table& table, const Names& columns) {
  std::vector<Fill> out;
  for (const auto& name : columns) {
    const io::Column& column = table.column(name);
    out.push_back(column.numeric ? mean_of(column, table.file) : most_frequent_of(column, table.file));
  }
  return out;
}

Index fill_missing(io::Table& table, const std::vector<Fill>& fills) {
  Index count = 0;
  for (const auto& fill : fills) {
    io::Column& column = column_of(table, fill.column);
    if (column.numeric != fill.numeric) {
      // A column without a single value is read as text; of any other, encode() will say what is wrong.
      if (column.numeric || !column.categories.empty()) continue;
      column.numeric = true;
      column.numbers.assign(column.codes.size(), fill.number);
      count += static_cast<Index>(column.codes.size());
      column.codes.clear();
      continue;
    }
    const auto rows = static_cast<std::size_t>(table.rows);
    std::int32_t code = -1;
    for (std::size_t row = 0; row < rows; ++row) {
      if (!is_missing(column, row)) continue;
      ++count;
      if (column.numeric) {
        column.numbers[row] = fill.number;
      } else {
        if (code < 0) code = code_of(column, fill.category);
        column.codes[row] = code;
      }
    }
  }
  return count;
}

void drop_rows_without(io::Table& table, const Names& columns) {
  std::vector<bool> keep(static_cast<std::size_t>(table.rows), true);
  for (const auto& name : columns) {
    const io::Column& column = table.column(name);
    for (std::size_t row = 0; row < keep.size(); ++row)
      if (is_missing(column, row)) keep[row] = false;
  }
  const auto kept = std::count(keep.begin(), keep.end(), true);
  if (kept == table.rows) return;
  if (kept == 0)
    throw InputError(table.file, 0, "no row has values in all of the target and sensitive columns");
  for (auto& column : table.columns) {
    keep_only(column.numbers, keep);
    keep_only(column.codes, keep);
  }
  table.dropped_rows += table.rows - kept;
  table.rows = kept;
}

}  // namespace bridle
