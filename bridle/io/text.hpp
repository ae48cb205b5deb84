// Small helpers on pieces of text, shared by the readers.
#pragma once

#include <cctype>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bridle::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A value quoted in a message: cut if long, control characters shown as '?', so that the message stays one
// line.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, most))
    shown += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? '?' : c;
  return shown + (text.size() > most ? "...'" : "'");
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i])))
      return false;
  return true;
}

// Lets a map keyed on std::string be searched with a string_view, without building a string.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace bridle::io
