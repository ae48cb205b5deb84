// The parts of rows, objectives and bounds: terms, numbers, names, quadratic terms.
#include "bridle/core/error.hpp"
#include "bridle/io/lp_parser.hpp"

namespace bridle::io {

LpParser::Sum LpParser::parse_sum(Extent extent, bool in_objective) {
  Sum sum;
  while (term_can_start(sum.empty, extent)) {
    const double sign = parse_signs();
    parse_term(sum, sign, extent, in_objective);
    sum.empty = false;
  }
  return sum;
}

// After the first term, only a sign goes on with the sum: anything else starts the next row.
bool LpParser::term_can_start(bool first, Extent extent) const {
  if (at_end_of_section() || at_label() || at(TokenKind::relation)) return false;
  if (first) return true;
  return at_sign() && !(extent == Extent::one_line && lexer_.current().first_on_line);
}

double LpParser::parse_signs() {
  double sign = 1;
  for (; at_sign(); lexer_.advance())
    if (at(TokenKind::minus)) sign = -sign;
  return sign;
}

void LpParser::parse_term(Sum& sum, double sign, Extent extent, bool in_objective) {
  if (at(TokenKind::open)) {
    parse_quadratic(sum, sign, in_objective);
    return;
  }
  if (at_infinity()) {
    sum.constant += sign * infinity;
    lexer_.advance();
    return;
  }
  double coefficient = sign;
  if (at(TokenKind::number)) {
    const Token number = lexer_.current();
    coefficient = sign * number.number;
    lexer_.advance();
    const bool next_row = extent == Extent::one_line && lexer_.current().first_on_line;
    const bool times = at(TokenKind::times);
    if (times) lexer_.advance();
    if (!times && (!at(TokenKind::name) || next_row || at_end_of_section() || at_label())) {
      sum.constant += coefficient;
      return;
    }
    if (!is_finite(coefficient)) lexer_.refuse(number, "the coefficient " + shown(number) + " is not finite");
  }
  sum.terms.emplace_back(expect_variable("a term"), coefficient);
  if (at(TokenKind::power) || at(TokenKind::times))
    refuse_here(in_objective ? "quadratic terms are written '[ x^2 + 2 x * y ] / 2'"
                             : "quadratic terms of a row are written '[ x^2 + 2 x * y ]'");
}

// "[ terms ] / 2" with the matrix of second derivatives as coefficients; in rows "[ terms ]", or half of
// them.
void LpParser::parse_quadratic(Sum& sum, double sign, bool in_objective) {
  lexer_.advance();
  const std::size_t first = sum.products.size();
  while (!at(TokenKind::close)) parse_product(sum, sign * parse_signs());
  lexer_.advance();
  if (!in_objective && !at(TokenKind::divide)) return;
  const bool halved =
      at(TokenKind::divide) && lexer_.following().kind == TokenKind::number && lexer_.following().number == 2;
  if (!halved)
    refuse_here(in_objective ? "the quadratic part of the objective is written '[ ... ] / 2'"
                             : "the quadratic part of a row is written '[ ... ]' or '[ ... ] / 2'");
  lexer_.advance();
  lexer_.advance();
  for (std::size_t k = first; !in_objective && k < sum.products.size(); ++k) {
    const auto& entry = sum.products[k];
    sum.products[k] = {entry.row(), entry.col(), 0.5 * entry.value()};
  }
}

// "3 x^2" or "4 x * y".
void LpParser::parse_product(Sum& sum, double sign) {
  double coefficient = sign;
  if (at(TokenKind::number)) {
    coefficient *= lexer_.current().number;
    if (!is_finite(coefficient)) refuse_here("the coefficient " + shown(lexer_.current()) + " is not finite");
    lexer_.advance();
    if (at(TokenKind::times)) lexer_.advance();
  }
  const int first = expect_variable("a quadratic term");
  if (at(TokenKind::power)) {
    lexer_.advance();
    if (!at(TokenKind::number) || lexer_.current().number != 2)
      refuse_here("only the power 2 is supported, but found " + shown(lexer_.current()));
    lexer_.advance();
    sum.products.emplace_back(first, first, coefficient);
  } else if (at(TokenKind::times)) {
    lexer_.advance();
    const int second = expect_variable("a quadratic term");
    sum.products.emplace_back(first, second, coefficient / 2);
    sum.products.emplace_back(second, first, coefficient / 2);
  } else {
    refuse_here("expected '^ 2' or '* name' in the quadratic part but found " + shown(lexer_.current()));
  }
  if (!at_sign() && !at(TokenKind::close))
    refuse_here("expected '+', '-' or ']' in the quadratic part but found " + shown(lexer_.current()));
}

double LpParser::parse_value(const std::string& what) {
  const double sign = parse_signs();
  if (!at(TokenKind::number) && !at_infinity())
    refuse_here("expected the number of " + what + " but found " + shown(lexer_.current()));
  const double value = at(TokenKind::number) ? lexer_.current().number : infinity;
  lexer_.advance();
  return sign * value;
}

Token LpParser::expect_relation(const std::string& after) {
  const Token token = lexer_.current();
  if (!at(TokenKind::relation))
    refuse_here("expected '<=', '>=' or '=' after " + after + " but found " + shown(token));
  lexer_.advance();
  return token;
}

int LpParser::expect_variable(const std::string& where_needed) {
  const Token token = lexer_.current();
  if (!at(TokenKind::name) || at_infinity())
    refuse_here("expected the name of a variable in " + where_needed + " but found " + shown(token));
  if (heading_of(token.text, lexer_.following().text) != Heading::none)
    refuse_here(shown(token) +
                " is a keyword of the LP format: it cannot be a name, and a section starts a new line");
  lexer_.advance();
  return builder_.variable(token.text, token.line);
}

std::string LpParser::parse_label() {
  const std::string label(lexer_.current().text);
  lexer_.advance();
  lexer_.advance();
  return label;
}

bool LpParser::at_end_of_section() const { return at(TokenKind::end) || lexer_.heading() != Heading::none; }

bool LpParser::at_label() const { return at(TokenKind::name) && lexer_.following().kind == TokenKind::colon; }

bool LpParser::at_sign() const { return at(TokenKind::plus) || at(TokenKind::minus); }

bool LpParser::at_infinity() const {
  return at(TokenKind::name) && (equal_ignoring_case(lexer_.current().text, "inf") ||
                                 equal_ignoring_case(lexer_.current().text, "infinity"));
}

}  // namespace bridle::io
