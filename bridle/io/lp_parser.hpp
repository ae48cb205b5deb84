// Grammar of the LP format: sections, rows, bounds. Used by parse_lp only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bridle/io/lp_lexer.hpp"
#include "bridle/io/program_builder.hpp"

namespace bridle::io {

class LpParser {
 public:
  LpParser(std::string_view text, const std::string& where, DefaultBounds defaults)
      : lexer_(text, where), builder_(where, defaults) {}

  LinearProgram parse();

 private:
  // A sum of terms and a constant.
  struct Sum {
    std::vector<std::pair<int, double>> terms;
    std::vector<ProgramBuilder::Entry> products;  // both triangles
    double constant = 0;
    bool empty = true;

    bool has_variables() const { return !terms.empty() || !products.empty(); }
  };
  // Where a sum may go on: a right-hand side ends with its line, since the next row may start with a sign.
  enum class Extent { lines, one_line };

  bool parse_section();
  void parse_objective(bool maximise);
  void parse_rows();
  void parse_row();
  void parse_bounds();
  void parse_bound_from_value();
  void parse_bound_from_name();
  void parse_names(Heading heading);

  Sum parse_sum(Extent extent, bool in_objective);
  double parse_signs();
  bool term_can_start(bool first, Extent extent) const;
  void parse_term(Sum& sum, double sign, Extent extent, bool in_objective);
  void parse_quadratic(Sum& sum, double sign, bool in_objective);
  void parse_product(Sum& sum, double sign);
  double parse_value(const std::string& what);
  Token expect_relation(const std::string& after);
  int expect_variable(const std::string& where_needed);
  std::string parse_label();

  Sum finish_sides(const Sum& left, const Token& relation, ProgramBuilder::Row& row);
  void finish_band(const Sum& left, const Sum& middle, char relation, ProgramBuilder::Row& row);
  void set_bound(int variable, char relation, double value, const Token& at);
  bool at_end_of_section() const;
  bool at_label() const;
  bool at_infinity() const;
  bool at_sign() const;
  bool at(TokenKind kind) const { return lexer_.current().kind == kind; }

  [[noreturn]] void refuse_here(const std::string& message) const {
    lexer_.refuse(lexer_.current(), message);
  }

  LpLexer lexer_;
  ProgramBuilder builder_;
  std::unordered_set<std::string> labels_;
  bool has_objective_ = false;
};

}  // namespace bridle::io
