#include "bridle/io/lp_lexer.hpp"

#include <array>
#include <cctype>
#include <utility>

#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The characters the LP format allows in names, but for ';', which is more often a slip. Bytes of UTF-8
// letters are let through.
bool is_name_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80 ||
         (c != '\0' && std::string_view("!\"#$%&/,.?@_`'{}()|~").find(c) != std::string_view::npos);
}

}  // namespace

Heading heading_of(std::string_view word, std::string_view next_word) {
  using enum Heading;
  struct Entry {
    std::string_view word, next_word;
    Heading heading;
  };
  static constexpr std::array<Entry, 34> known = {{
      {"minimize", "", minimise},
      {"minimise", "", minimise},
      {"minimum", "", minimise},
      {"min", "", minimise},
      {"maximize", "", maximise},
      {"maximise", "", maximise},
      {"maximum", "", maximise},
      {"max", "", maximise},
      {"subject", "to", rows},
      {"such", "that", rows},
      {"st", "", rows},
      {"s.t.", "", rows},
      {"st.", "", rows},
      {"bounds", "", bounds},
      {"bound", "", bounds},
      {"free", "", free},
      {"general", "", general},
      {"generals", "", general},
      {"gen", "", general},
      {"integer", "", general},
      {"integers", "", general},
      {"int", "", general},
      {"binary", "", binary},
      {"binaries", "", binary},
      {"bin", "", binary},
      {"semi", "", not_supported},
      {"semis", "", not_supported},
      {"sos", "", not_supported},
      {"sos1", "", not_supported},
      {"sos2", "", not_supported},
      {"user", "cuts", not_supported},
      {"lazy", "constraints", not_supported},
      {"pwlobj", "", not_supported},
      {"end", "", end},
  }};
  for (const Entry& entry : known)
    if (equal_ignoring_case(entry.word, word) &&
        (entry.next_word.empty() || equal_ignoring_case(entry.next_word, next_word)))
      return entry.heading;
  return none;
}

std::string shown(const Token& token) {
  return token.kind == TokenKind::end ? std::string("the end of the text") : in_quotes(token.text);
}

LpLexer::LpLexer(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {
  current_ = scan();
  following_ = scan();
}

void LpLexer::advance() {
  current_ = following_;
  if (following_.kind != TokenKind::end) following_ = scan();
}

Heading LpLexer::heading() const {
  if (current_.kind != TokenKind::name || !current_.first_on_line || following_.kind == TokenKind::colon)
    return Heading::none;
  return heading_of(current_.text, following_.text);
}

void LpLexer::skip_heading() {
  const bool two_words =
      equal_ignoring_case(current_.text, "subject") || equal_ignoring_case(current_.text, "such");
  advance();
  if (two_words) advance();
  // "Subject To:" is common enough.
  if (current_.kind == TokenKind::colon && !current_.first_on_line) advance();
}

void LpLexer::refuse(const Token& at, const std::string& message) const {
  throw InputError(where_, at.line, message);
}

void LpLexer::skip_blank_and_comments() {
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      at_line_start_ = true;
    } else if (c == '\\') {
      while (position_ + 1 < text_.size() && text_[position_ + 1] != '\n') ++position_;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

Token LpLexer::scan() {
  skip_blank_and_comments();
  Token token;
  token.line = line_;
  token.first_on_line = std::exchange(at_line_start_, false);
  if (position_ == text_.size()) return token;
  const char c = text_[position_];
  const char after = position_ + 1 < text_.size() ? text_[position_ + 1] : '\n';
  if (is_digit(c) || (c == '.' && is_digit(after))) {
    const char* const first = text_.data() + position_;
    const char* const last = parse_number_prefix(first, text_.data() + text_.size(), token.number);
    token.kind = TokenKind::number;
    token.text = text_.substr(position_, static_cast<std::size_t>(last - first));
    position_ += token.text.size();
    return token;
  }
  return is_name_char(c) && c != '/' ? scan_name(token) : scan_sign(token);
}

Token LpLexer::scan_name(Token token) {
  const std::size_t end = name_end(position_);
  token.kind = TokenKind::name;
  token.text = text_.substr(position_, end - position_);
  if (token.text.front() == '.') refuse(token, "the name " + in_quotes(token.text) + " starts with a period");
  if (token.text.back() == ',') refuse(token, "the name " + in_quotes(token.text) + " ends with a comma");
  position_ = end;
  return token;
}

// A bracket glued to a name belongs to it (x[1,2]); one that stands free opens the quadratic part.
std::size_t LpLexer::name_end(std::size_t position) const {
  while (position < text_.size()) {
    if (is_name_char(text_[position])) {
      ++position;
      continue;
    }
    if (text_[position] != '[') break;
    std::size_t close = position + 1;
    while (close < text_.size() && is_name_char(text_[close])) ++close;
    if (close == text_.size() || text_[close] != ']') break;
    position = close + 1;
  }
  return position;
}

Token LpLexer::scan_sign(Token token) {
  static constexpr std::string_view signs = "+-*/^:[]";
  static constexpr std::array<TokenKind, 8> kinds = {TokenKind::plus,   TokenKind::minus, TokenKind::times,
                                                     TokenKind::divide, TokenKind::power, TokenKind::colon,
                                                     TokenKind::open,   TokenKind::close};
  const char c = text_[position_];
  const char after = position_ + 1 < text_.size() ? text_[position_ + 1] : '\n';
  if (c == '-' && after == '>') refuse(token, "indicator constraints ('->') are not supported");
  std::size_t length = 1;
  if (c == '<' || c == '>' || c == '=') {
    token.kind = TokenKind::relation;
    token.relation = c;
    if (c != '=' && after == '=') length = 2;
    if (c == '=' && (after == '<' || after == '>' || after == '=')) {
      token.relation = after;
      length = 2;
    }
  } else if (const std::size_t known = signs.find(c); known != std::string_view::npos) {
    token.kind = kinds[known];
  } else {
    refuse(token,
           "the character " + in_quotes(text_.substr(position_, 1)) + " has no meaning in the LP format");
  }
  token.text = text_.substr(position_, length);
  position_ += length;
  return token;
}

}  // namespace bridle::io
