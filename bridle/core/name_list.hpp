// Lists of names on a command line: a,b,c. A name with a comma stands in double quotes, as in CSV.
#pragma once

#include <string>

#include "bridle/core/error.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

// Splits at commas. A field that begins with a double quote goes on to the next one that is not doubled, and
// loses them. Throws InputError, which names the option, where a quote is not closed or text follows it.
inline Names split_list(const std::string& text, const std::string& option) {
  const auto refuse = [&](const char* why) {
    throw InputError(option + " '" + text + "': " + why +
                     "; a name with a comma is written \"a,b\", and a quote within it is doubled");
  };
  Names out;
  std::size_t at = 0;
  for (;;) {
    out.emplace_back();
    if (at < text.size() && text[at] == '"') {
      for (++at;; ++at) {
        if (at == text.size()) refuse("a quote is not closed");
        if (text[at] != '"')
          out.back() += text[at];
        else if (at + 1 < text.size() && text[at + 1] == '"')
          out.back() += text[++at];
        else
          break;
      }
      ++at;
      if (at < text.size() && text[at] != ',') refuse("text follows a closing quote");
    } else {
      while (at < text.size() && text[at] != ',') out.back() += text[at++];
    }
    if (at == text.size()) return out;
    ++at;
  }
}

// A name as an item of such a list, to be copied into a shell: quoted where the list or the shell needs it.
inline std::string as_argument(const std::string& name) {
  std::string item = name;
  if (name.find(',') != std::string::npos || name.starts_with('"')) {
    item = "\"";
    for (const char c : name) item += c == '"' ? std::string("\"\"") : std::string(1, c);
    item += '"';
  }
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:@%,^";
  if (!item.empty() && item.find_first_not_of(plain) == std::string::npos) return item;
  std::string out = "'";
  for (const char c : item) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace bridle
