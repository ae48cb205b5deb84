// A line of a simple CSV file: fields between commas, blanks around them dropped and within them single.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bridle/io/text.hpp"

namespace bridle {

// A blank line gives one empty field.
inline std::vector<std::string> fields_between_commas(std::string_view line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',')
      out.emplace_back();
    else if (!io::is_blank(c) || (!out.back().empty() && out.back().back() != ' '))
      out.back() += io::is_blank(c) ? ' ' : c;
  }
  for (auto& field : out)
    if (!field.empty() && field.back() == ' ') field.pop_back();
  return out;
}

}  // namespace bridle
