// The known name closest to one a user mistyped, for error messages.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle {

// Edits (insert, delete, replace, swap of neighbours) that turn a into b; letters of different case are
// equal, for a wrong case is the mildest of slips.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replace, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

// The first of the names with the least distance; empty if there are none. Only the first letters of very
// long names count: they come from damaged files, and the time grows with the square.
inline std::string nearest(std::string_view name, const Names& names) {
  constexpr std::size_t longest = 64;
  std::string best;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const std::string& candidate : names) {
    const std::size_t distance =
        edit_distance(name.substr(0, longest), std::string_view(candidate).substr(0, longest));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

// Whether one name may be meant where the other stands.
inline bool resembles(std::string_view name, std::string_view meant) {
  constexpr std::size_t most_letters = 40;
  return name.size() <= most_letters && meant.size() <= most_letters &&
         edit_distance(name, meant) <= std::max<std::size_t>(2, name.size() / 3);
}

// The tail of a message about an unknown name: "; did you mean 'age'?", or the known names if none is close.
inline std::string did_you_mean(std::string_view name, const Names& with_doubles) {
  if (with_doubles.empty()) return "";
  Names names;  // a key may have been asked for twice
  for (const std::string& known : with_doubles)
    if (std::find(names.begin(), names.end(), known) == names.end()) names.push_back(known);
  constexpr std::size_t most_names = 8, most_letters = 40;
  // Messages are one line, whatever a file has for names.
  const auto shown = [](const std::string& text) {
    std::string cut = text.size() > most_letters ? text.substr(0, most_letters) + "..." : text;
    for (char& c : cut)
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
    return cut;
  };
  const std::string best = nearest(name, names);
  if (resembles(name, best)) return "; did you mean '" + shown(best) + "'?";
  std::string list = "; nearest is '" + shown(best) + "', known names: ";
  for (std::size_t i = 0; i < std::min(most_names, names.size()); ++i)
    list += (i > 0 ? ", " : "") + shown(names[i]);
  return list + (names.size() > most_names ? ", ..." : "");
}

}  // namespace bridle
