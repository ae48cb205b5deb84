#include "bridle/apps/data/joined_data.hpp"

#include <algorithm>
#include <unordered_map>

#include "bridle/core/error.hpp"
#include "bridle/io/decimal_commas.hpp"

namespace bridle {
namespace {

// What becomes of the codes of a column among the categories of another, which gets those that it lacks.
std::vector<std::int32_t> new_codes(io::Column& column, const Names& categories) {
  std::unordered_map<std::string, std::int32_t> known;
  const auto code_of = [&](const std::string& category) {
    return known.try_emplace(category, static_cast<std::int32_t>(known.size()));
  };
  for (const auto& category : column.categories) code_of(category);
  std::vector<std::int32_t> out;
  for (const auto& category : categories) {
    const auto [entry, is_new] = code_of(category);
    if (is_new) column.categories.push_back(category);
    out.push_back(entry->second);
  }
  return out;
}

std::int32_t new_code(std::int32_t old, const std::vector<std::int32_t>& codes) {
  return old < 0 ? old : codes[static_cast<std::size_t>(old)];
}

void append_column(io::Column& column, const io::Column& more) {
  column.numbers.insert(column.numbers.end(), more.numbers.begin(), more.numbers.end());
  if (column.comma_example.empty()) column.comma_example = more.comma_example;
  io::take_point_example(column.point_example, more.point_example);
  const auto codes = new_codes(column, more.categories);
  for (const std::int32_t old : more.codes) column.codes.push_back(new_code(old, codes));
}

}  // namespace

TableHeader header_of(const io::Table& table) {
  TableHeader out{{table.file, {}, table.rows, table.dropped_rows, table.separator}};
  for (const auto& column : table.columns)
    out.table.columns.push_back({column.name,
                                 column.numeric,
                                 {},
                                 {},
                                 column.categories,
                                 column.header,
                                 column.position,
                                 column.comma_example,
                                 column.point_example});
  return out;
}

void append(io::SparseData& data, const io::SparseData& more) {
  const Index before = data.features.rows();
  SparseRows joined(before + more.features.rows(), std::max(data.features.cols(), more.features.cols()));
  joined.reserve(data.features.nonZeros() + more.features.nonZeros());
  for (Index i = 0; i < joined.rows(); ++i) {
    joined.startVec(i);
    const bool old = i < before;
    for (SparseRows::InnerIterator it(old ? data.features : more.features, old ? i : i - before); it; ++it)
      joined.insertBack(i, it.col()) = it.value();
  }
  joined.finalize();
  data.features.swap(joined);
  Vector labels(before + more.labels.size());
  labels << data.labels, more.labels;
  data.labels = std::move(labels);
}

void append(io::Table& table, const io::Table& more) {
  if (more.columns.size() != table.columns.size())
    throw InputError(more.file, 0,
                     std::to_string(more.columns.size()) + " columns, but " + table.file + " has " +
                         std::to_string(table.columns.size()));
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const io::Column &mine = table.columns[j], &other = more.columns[j];
    if (mine.name != other.name)
      throw InputError(more.file, 1,
                       "column '" + other.name + "' where " + table.file + " has '" + mine.name + "'");
    if (mine.numeric != other.numeric)
      throw InputError(more.file, 0,
                       "column '" + mine.name + "' is " + (other.numeric ? "numeric" : "text") + ", but in " +
                           table.file + " it is not; the key categorical makes it text");
    append_column(table.columns[j], other);
  }
  table.rows += more.rows;
  table.dropped_rows += more.dropped_rows;
}

io::Table rows_in_columns_of(io::Table header, io::Table table) {
  header.rows = table.rows;
  for (std::size_t j = 0; j < header.columns.size(); ++j) {
    io::Column &column = header.columns[j], &own = table.columns[j];
    const auto codes = new_codes(column, own.categories);
    for (std::int32_t& code : own.codes) code = new_code(code, codes);
    column.codes = std::move(own.codes);
    column.numbers = std::move(own.numbers);
  }
  return header;
}

bool contradict_on_commas(const io::Table& table, const io::Table& other) {
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const io::Column &mine = table.columns[j], &its = other.columns[j];
    if (!mine.comma_example.empty() && !its.point_example.empty()) return true;
    if (!mine.point_example.empty() && !its.comma_example.empty()) return true;
  }
  return false;
}

}  // namespace bridle
