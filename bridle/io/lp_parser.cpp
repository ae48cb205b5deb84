#include "bridle/io/lp_parser.hpp"

#include "bridle/core/error.hpp"

namespace bridle::io {

namespace {

char flipped(char relation) { return relation == '<' ? '>' : relation == '>' ? '<' : relation; }

void narrow(ProgramBuilder::Row& row, char relation, double side) {
  if (relation != '>') row.upper = widened(side);
  if (relation != '<') row.lower = widened(side);
}

}  // namespace

LinearProgram LpParser::parse() {
  while (parse_section()) {
  }
  return builder_.finish();
}

// False once End was read.
bool LpParser::parse_section() {
  const Heading heading = lexer_.heading();
  const Token start = lexer_.current();
  if (heading == Heading::none && at(TokenKind::end))
    refuse_here("'End' is missing: the text may be cut off");
  if (heading == Heading::none)
    refuse_here("expected a section ('Minimize', 'Subject To', 'Bounds', 'End') but found " + shown(start));
  if (heading == Heading::not_supported) refuse_here("section " + shown(start) + " is not supported");
  lexer_.skip_heading();
  switch (heading) {
    case Heading::minimise:
    case Heading::maximise:
      if (has_objective_) lexer_.refuse(start, "a second objective");
      parse_objective(heading == Heading::maximise);
      return true;
    case Heading::rows:
      parse_rows();
      return true;
    case Heading::bounds:
      parse_bounds();
      return true;
    case Heading::end:
      if (!at(TokenKind::end)) refuse_here("text after 'End': " + shown(lexer_.current()));
      return false;
    default:
      parse_names(heading);
      return true;
  }
}

void LpParser::parse_objective(bool maximise) {
  has_objective_ = true;
  builder_.maximise = maximise;
  if (at_label()) builder_.objective_name = parse_label();
  const Token start = lexer_.current();
  const Sum sum = parse_sum(Extent::lines, true);
  for (const auto& [variable, coefficient] : sum.terms)
    builder_.variables[static_cast<std::size_t>(variable)].cost += coefficient;
  builder_.hessian_entries.insert(builder_.hessian_entries.end(), sum.products.begin(), sum.products.end());
  if (!is_finite(sum.constant)) lexer_.refuse(start, "the constant of the objective is not finite");
  builder_.offset += sum.constant;
  if (!at_end_of_section())
    refuse_here("expected '+', '-' or 'Subject To' in the objective but found " + shown(lexer_.current()));
}

void LpParser::parse_rows() {
  while (!at_end_of_section()) parse_row();
}

void LpParser::parse_row() {
  ProgramBuilder::Row row;
  if (at_label()) {
    const Token label = lexer_.current();
    row.name = parse_label();
    if (!labels_.insert(row.name).second)
      lexer_.refuse(label, "a second row is named " + in_quotes(row.name));
  }
  row.line = lexer_.current().line;
  const Sum left = parse_sum(Extent::lines, false);
  if (left.empty && !at(TokenKind::relation))
    refuse_here("expected a term of a row but found " + shown(lexer_.current()));
  const Token relation = expect_relation("the left side of the row");
  const Sum sum = finish_sides(left, relation, row);
  for (const auto& [variable, coefficient] : sum.terms)
    builder_.entries.emplace_back(static_cast<int>(builder_.rows.size()), variable, coefficient);
  if (!sum.products.empty()) builder_.square_entries[static_cast<Index>(builder_.rows.size())] = sum.products;
  builder_.rows.push_back(std::move(row));
}

// Reads what follows the first relation, sets the sides of the row and returns its terms.
LpParser::Sum LpParser::finish_sides(const Sum& left, const Token& relation, ProgramBuilder::Row& row) {
  const bool expression_on_right = !left.has_variables();
  Sum right = parse_sum(expression_on_right ? Extent::lines : Extent::one_line, false);
  if (right.empty || left.empty) lexer_.refuse(relation, "a side of the row is empty");
  if (!left.has_variables() && !right.has_variables()) lexer_.refuse(relation, "the row has no variable");
  if (at(TokenKind::relation)) {
    finish_band(left, right, relation.relation, row);
    return right;
  }
  if (expression_on_right) {
    if (!is_finite(right.constant)) lexer_.refuse(relation, "infinity cannot stand beside variables");
    narrow(row, flipped(relation.relation), left.constant - right.constant);
    return right;
  }
  if (!is_finite(left.constant) || (right.has_variables() && !is_finite(right.constant)))
    lexer_.refuse(relation, "infinity cannot stand beside variables");
  if (right.has_variables() && at_sign())
    refuse_here(
        "unclear whether this line goes on with the row above: a right side with variables ends on its line");
  narrow(row, relation.relation, right.constant - left.constant);
  Sum sum = left;
  for (const auto& [variable, coefficient] : right.terms) sum.terms.emplace_back(variable, -coefficient);
  for (const auto& entry : right.products)
    sum.products.emplace_back(entry.row(), entry.col(), -entry.value());
  return sum;
}

// Stands before the second relation of "low <= expression <= high".
void LpParser::finish_band(const Sum& left, const Sum& middle, char relation, ProgramBuilder::Row& row) {
  const Token second = expect_relation("the row");
  const Token start = lexer_.current();
  const Sum last = parse_sum(Extent::one_line, false);
  const bool shape = !left.has_variables() && middle.has_variables() && !last.has_variables() && !last.empty;
  if (!shape || second.relation != relation || relation == '=')
    lexer_.refuse(second,
                  "a row with two relations is written 'low <= expression <= high', low and high numbers");
  if (!is_finite(middle.constant)) lexer_.refuse(start, "infinity cannot stand beside variables");
  narrow(row, flipped(relation), left.constant - middle.constant);
  narrow(row, relation, last.constant - middle.constant);
}

void LpParser::parse_bounds() {
  while (!at_end_of_section()) {
    if (at(TokenKind::name) && !at_infinity())
      parse_bound_from_name();
    else
      parse_bound_from_value();
  }
}

// "low <= x", "low <= x <= high" and the same with '>='.
void LpParser::parse_bound_from_value() {
  const Token start = lexer_.current();
  const double value = parse_value("a bound");
  const char relation = expect_relation("the number (a bound has no coefficients)").relation;
  const int variable = expect_variable("a bound");
  set_bound(variable, flipped(relation), value, start);
  if (!at(TokenKind::relation)) return;
  const Token second = lexer_.current();
  if (relation == '=' || second.relation != relation)
    lexer_.refuse(second, "two bounds on a line are written 'low <= name <= high'");
  lexer_.advance();
  set_bound(variable, relation, parse_value("a bound"), second);
}

// "x free", "x >= low", "x <= high", "x = value".
void LpParser::parse_bound_from_name() {
  const Token start = lexer_.current();
  const int variable = expect_variable("a bound");
  if (at(TokenKind::name) && !lexer_.current().first_on_line &&
      equal_ignoring_case(lexer_.current().text, "free")) {
    lexer_.advance();
    builder_.set_lower(variable, -infinity, start.line);
    builder_.set_upper(variable, infinity, start.line);
    return;
  }
  const char relation = expect_relation("the name of the variable (or 'free')").relation;
  set_bound(variable, relation, parse_value("a bound"), start);
  if (!at(TokenKind::end) && !lexer_.current().first_on_line)
    refuse_here("expected one bound per line, 'low <= name <= high' for both, but found " +
                shown(lexer_.current()));
}

void LpParser::set_bound(int variable, char relation, double value, const Token& at) {
  if (relation == '=' && !is_finite(value)) lexer_.refuse(at, "a variable cannot be fixed at infinity");
  if (relation != '<') builder_.set_lower(variable, value, at.line);
  if (relation != '>') builder_.set_upper(variable, value, at.line);
}

void LpParser::parse_names(Heading heading) {
  while (!at_end_of_section()) {
    const long line = lexer_.current().line;
    const int variable = expect_variable("the list");
    if (heading != Heading::free) builder_.variables[static_cast<std::size_t>(variable)].integer = true;
    if (heading == Heading::general) continue;
    builder_.set_lower(variable, heading == Heading::free ? -infinity : 0, line);
    builder_.set_upper(variable, heading == Heading::free ? infinity : 1, line);
  }
}

LinearProgram parse_lp(std::string_view text, const std::string& where, DefaultBounds defaults) {
  return LpParser(text, where, defaults).parse();
}

}  // namespace bridle::io
