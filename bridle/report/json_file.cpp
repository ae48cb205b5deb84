#include "bridle/report/json_file.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "bridle/core/error.hpp"
#include "bridle/core/input_file.hpp"

namespace bridle {
namespace {

using Tree = nlohmann::json;

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
}

// REASON alone of "[...] parse error at line 1, column 2: syntax error while parsing value - REASON; last
// read:
// '...'; expected ...".
std::string reason_of(std::string_view said) {
  const std::size_t dash = said.find(" - "), begin = dash == std::string_view::npos ? 0 : dash + 3;
  return std::string(said.substr(begin, said.find("; last read", begin) - begin));
}

// `byte`: where the library stopped, from 1.
InputError no_json(const std::string& path, std::string_view text, std::size_t byte, std::string_view said) {
  constexpr std::size_t most = 40;
  std::size_t at = std::min(std::max<std::size_t>(byte, 1) - 1, text.size());
  std::string what = at == text.size() ? "the file ends too early" : reason_of(said);
  if (at < text.size() && (what.starts_with("invalid literal") || what.starts_with("invalid number"))) {
    std::size_t end = at;
    while (at > 0 && in_word(text[at - 1]) && end - at < most) --at;
    while (end < text.size() && in_word(text[end]) && end - at < most) ++end;
    const std::string word(text.substr(at, end - at));
    if (!word.empty()) what = "'" + word + "' is no value";
    if (word.find("NaN") != std::string::npos || word.find("Inf") != std::string::npos)
      what += ": JSON has finite numbers only";
  }
  const std::string_view before = text.substr(0, at);
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // none: from the beginning
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return {path, 1 + std::count(before.begin(), before.end(), '\n'),
          "is no JSON from character " +
              std::to_string(1 + std::count_if(line.begin(), line.end(), begins_character)) + " on: " + what};
}

}  // namespace

Tree read_json(const std::string& path) {
  const std::string text = read_input(path);
  try {
    return Tree::parse(text);
  } catch (const Tree::parse_error& error) {
    throw no_json(path, text, error.byte, error.what());
  } catch (const Tree::out_of_range& error) {  // a number beyond 1e308: it does not say where
    const std::string_view said = error.what();
    throw InputError(path, 0,
                     "is no JSON that can be read: " + std::string(said.substr(said.find("] ") + 2)));
  }
}

}  // namespace bridle
