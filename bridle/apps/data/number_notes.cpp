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

// One that is a number if commas and points of thousands are taken out of it.
bool number_with_marks(const std::string& text) {
  double value = 0;
  if (io::parse_number(without(',', text), value)) return true;
  return io::looks_like_thousands(text.substr(0, text.find(',')), '.') &&
         io::parse_number(without(',', without('.', text)), value);
}

const std::string* first_with_marks(const io::Column& column) {
  const auto found =
      std::find_if(column.categories.begin(), column.categories.end(), [](const std::string& text) {
        double value = 0;
        return !io::parse_number(text, value);
      });
  return found == column.categories.end() ? nullptr : &*found;
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

Names columns_of_numbers_as_text(const io::Table& table) {
  Names out;
  for (const auto& column : table.columns)
    if (!column.numeric && first_with_marks(column) &&
        std::all_of(column.categories.begin(), column.categories.end(), number_with_marks))
      out.push_back(column.name);
  return out;
}

std::string note_on_numbers_as_text(const io::Column& column, const std::string& fate) {
  return fmt::format("column '{}' has numbers such as '{}' and is {}: write 1234.5, not 1,234.5 or 1234,5",
                     column.name, *first_with_marks(column), fate);
}

Names notes_on_numbers(const io::Table& table, const Names& left_alone) {
  Names out = notes_on_decimal_commas(table);
  for (auto& note : notes_on_points(table, {})) out.push_back(std::move(note));
  for (const auto& name : columns_of_numbers_as_text(table))
    if (!among(left_alone, name)) out.push_back(note_on_numbers_as_text(table.column(name), "taken as text"));
  return out;
}

}  // namespace bridle
