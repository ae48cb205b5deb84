#include "bridle/apps/data/number_notes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bridle/io/decimal_commas.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_names_shown = 5;

bool among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string without(char mark, std::string text) {
  std::erase(text, mark);
  return text;
}

}  // namespace

Names notes_on_decimal_commas(const io::Table& table) {
  Names columns;
  std::string example;
  for (const auto& column : table.columns) {
    if (column.comma_example.empty()) continue;
    columns.push_back("'" + column.name + "'");
    if (example.empty()) example = column.comma_example;
  }
  if (columns.empty()) return {};
  std::string pointed = example;
  std::replace(pointed.begin(), pointed.end(), ',', '.');
  const std::size_t shown = std::min(most_names_shown, columns.size());
  return {
      fmt::format("decimal commas in {}{}: '{}' is read as {}; a column listed under categorical is read as "
                  "text",
                  fmt::join(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                  shown < columns.size() ? fmt::format(" and {} more columns", columns.size() - shown) : "",
                  example, pointed)};
}

Names notes_on_points(const io::Table& table, const Names& excluded) {
  const bool commas = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const io::Column& column) { return !column.comma_example.empty(); });
  Names out;
  for (const auto& column : table.columns) {
    const std::string& example = column.point_example;
    if (commas && io::looks_like_thousands(example, '.') && !among(excluded, column.name))
      out.push_back(
          fmt::format("column '{}': '{}' is read as {}, although other columns have decimal commas; if the "
                      "point separates thousands, write {}",
                      column.name, example, example, without('.', example)));
  }
  return out;
}

Names notes_on_numbers(const io::Table& table) {
  Names out = notes_on_decimal_commas(table);
  for (auto& note : notes_on_points(table, {})) out.push_back(std::move(note));
  return out;
}

}  // namespace bridle
