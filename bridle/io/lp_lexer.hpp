// Words, numbers and signs of an LP text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bridle::io {

enum class TokenKind : std::uint8_t {
  number,
  name,
  plus,
  minus,
  times,
  divide,
  power,
  colon,
  relation,
  open,
  close,
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  char relation = 0;  // '<', '>' or '=' for all spellings
  bool first_on_line = true;
  long line = 1;
  double number = 0;
  std::string_view text;
};

// Section headings; not_supported covers those of the format that Bridle has no use for.
enum class Heading : std::uint8_t {
  none,
  minimise,
  maximise,
  rows,
  bounds,
  free,
  general,
  binary,
  not_supported,
  end
};

// Gives the tokens one by one, two at a time in view.
class LpLexer {
 public:
  LpLexer(std::string_view text, std::string where);

  const Token& current() const { return current_; }
  const Token& following() const { return following_; }
  void advance();

  // The heading that starts at the current token: a keyword at the start of a line that is not a label.
  Heading heading() const;
  // Also skips the second word of "subject to".
  void skip_heading();

  [[noreturn]] void refuse(const Token& at, const std::string& message) const;

 private:
  Token scan();
  void skip_blank_and_comments();
  Token scan_name(Token token);
  Token scan_sign(Token token);
  std::size_t name_end(std::size_t position) const;

  std::string_view text_;
  std::string where_;
  std::size_t position_ = 0;
  long line_ = 1;
  bool at_line_start_ = true;
  Token current_;
  Token following_;
};

// The heading that a word stands for, some only with a certain next word ("subject to").
Heading heading_of(std::string_view word, std::string_view next_word);

// How a token is shown in a message.
std::string shown(const Token& token);

}  // namespace bridle::io
