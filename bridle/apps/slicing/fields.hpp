// A line of a simple CSV file: fields between commas or semicolons, blanks around them dropped and within
// them single.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bridle/io/text.hpp"

namespace bridle {

// What separates the fields of a file whose first line this is.
inline char separator_of(std::string_view first_line) {
  return first_line.find(',') == std::string_view::npos && first_line.find(';') != std::string_view::npos
             ? ';'
             : ',';
}

// A blank line gives one empty field.
inline std::vector<std::string> fields_between(char separator, std::string_view line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == separator)
      out.emplace_back();
    else if (!io::is_blank(c) || (!out.back().empty() && out.back().back() != ' '))
      out.back() += io::is_blank(c) ? ' ' : c;
  }
  for (auto& field : out)
    if (!field.empty() && field.back() == ' ') field.pop_back();
  return out;
}

}  // namespace bridle
