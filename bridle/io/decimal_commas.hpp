// Numbers as 3,14: of files whose fields semicolons separate, as banks and spreadsheets write them.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "bridle/io/csv.hpp"
#include "bridle/io/number.hpp"

namespace bridle::io {

// True if the text is a finite number with one comma between digits, and no point.
inline bool parse_decimal_comma(std::string_view text, double& value) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || comma == 0 || !digit(comma - 1) || !digit(comma + 1)) return false;
  if (text.find('.') != std::string_view::npos) return false;
  std::string pointed(text);
  pointed[comma] = '.';
  return parse_number(pointed, value) && std::isfinite(value);
}

// The same, or a number without comma and point.
inline bool parse_with_decimal_commas(std::string_view text, double& value) {
  if (parse_decimal_comma(text, value)) return true;
  return text.find('.') == std::string_view::npos && parse_number(text, value) && std::isfinite(value);
}

// Groups of digits between marks, as thousands are written: 1.234 or 1.234.567, and not 0.123.
inline bool looks_like_thousands(std::string_view text, char mark) {
  constexpr std::size_t group = 3;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const std::size_t first = text.find(mark);
  if (first == std::string_view::npos || first == 0 || first > group || text[0] == '0') return false;
  if ((text.size() - first) % (group + 1) != 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool mark_here = i >= first && (i - first) % (group + 1) == 0;
    if (mark_here ? text[i] != mark : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

// Keeps the first number with a point that cannot be thousands, or else the first of all. An empty one is
// none.
inline void take_point_example(std::string& example, std::string_view number) {
  if (number.empty()) return;
  if (example.empty() || (looks_like_thousands(example, '.') && !looks_like_thousands(number, '.')))
    example = number;
}

// Makes a text column numeric if all of its values are such numbers, one at least with a comma.
inline void take_decimal_commas(Column& column) {
  std::vector<double> values;
  for (const auto& category : column.categories) {
    double value = 0;
    if (!parse_with_decimal_commas(category, value)) return;
    values.push_back(value);
  }
  const auto comma =
      std::find_if(column.categories.begin(), column.categories.end(),
                   [](const std::string& category) { return category.find(',') != std::string::npos; });
  if (comma == column.categories.end()) return;
  column.comma_example = *comma;
  column.numeric = true;
  column.numbers.reserve(column.codes.size());
  for (const auto code : column.codes)
    column.numbers.push_back(code < 0 ? std::numeric_limits<double>::quiet_NaN()
                                      : values[static_cast<std::size_t>(code)]);
  column.codes = {};
  column.categories = {};
}

}  // namespace bridle::io
