#include "bridle/io/linear_program.hpp"

#include "tests/io/files.hpp"

namespace bridle::io {
namespace {

using bridle::testing::error_of;
using bridle::testing::ErrorCase;
using bridle::testing::gzip;
using bridle::testing::write_file;

LinearProgram parse(const std::string& text, DefaultBounds defaults = DefaultBounds::nonnegative) {
  return parse_lp(text, "text", defaults);
}

TEST(Lp, WholeProgram) {
  const LinearProgram lp = parse(R"(\ a comment
Maximize
 profit: 3 x + 2.5y - z.a + 7
   + 2 * x_1(2)
Subject To
 c1: x + 3 y +
     2 z.a >= 2
 band: -1 <= x - y <= 1
 x + y + x <= 1e30
 eq: 2 x = 6 \ trailing
Bounds
 x <= 4
 -2 <= y <= 8
 z.a free
 x_1(2) >= -inf
Generals
 y
Binary
 b
End
)");
  EXPECT_TRUE(lp.maximise);
  EXPECT_EQ(lp.objective_name, "profit");
  EXPECT_EQ(lp.variables, (Names{"x", "y", "z.a", "x_1(2)", "b"}));
  EXPECT_EQ(lp.rows, (Names{"c1", "band", "c3", "eq"}));
  EXPECT_EQ(lp.cost, (Vector{{3, 2.5, -1, 2, 0}}));
  EXPECT_EQ(lp.offset, 7);
  EXPECT_EQ(Matrix(lp.matrix), (Matrix{{1, 3, 2, 0, 0}, {1, -1, 0, 0, 0}, {2, 1, 0, 0, 0}, {2, 0, 0, 0, 0}}));
  EXPECT_EQ(lp.row_lower, (Vector{{2, -1, -infinity, 6}}));
  EXPECT_EQ(lp.row_upper, (Vector{{infinity, 1, infinity, 6}}));
  EXPECT_EQ(lp.lower, (Vector{{0, -2, -infinity, -infinity, 0}}));
  EXPECT_EQ(lp.upper, (Vector{{4, 8, infinity, infinity, 1}}));
  EXPECT_EQ(lp.bounded, (std::vector<bool>{true, true, true, true, true}));
  EXPECT_EQ(lp.integer, (std::vector<bool>{false, true, false, false, true}));
  EXPECT_EQ(lp.hessian.rows(), 5);
  EXPECT_EQ(lp.hessian.nonZeros(), 0);
}

TEST(Lp, ConstraintsOnly) {
  const std::string text = "Subject To\n x + y <= 1\nBounds\n z <= 2\nEnd";
  const LinearProgram lp = parse(text);
  EXPECT_FALSE(lp.maximise);
  EXPECT_EQ(lp.variables, (Names{"x", "y", "z"}));
  EXPECT_EQ(lp.cost, Vector::Zero(3));
  EXPECT_EQ(lp.bounded, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(lp.lower, Vector::Zero(3));
  const LinearProgram open = parse(text, DefaultBounds::free);
  EXPECT_EQ(open.lower, Vector::Constant(3, -infinity));
  EXPECT_EQ(open.upper, (Vector{{infinity, infinity, 2}}));
  EXPECT_EQ(parse("Bounds\n -1 <= w <= 1\nEnd\n").rows.size(), 0U);
}

struct RowCase {
  std::string text;
  double low, high, x, y;
};

TEST(Lp, FormsOfRows) {
  const std::vector<RowCase> cases = {
      {"x + y <= 3", -infinity, 3, 1, 1},
      {"x + y < 3", -infinity, 3, 1, 1},
      {"x + y =< 3", -infinity, 3, 1, 1},
      {"x - y => 3", 3, infinity, 1, -1},
      {"x = 3 y", 0, 0, 1, -3},
      {"3 >= x - - y", -infinity, 3, 1, 1},
      {"3 = x + y", 3, 3, 1, 1},
      {"x + 3 >= 1 - y", -2, infinity, 1, 1},
      {"-1 <= x - y + 1 <= 1", -2, 0, 1, -1},
      {"5 >= 2 x\n + y >= -inf", -infinity, 5, 2, 1},
      {"-1e20 <= x + y <= 4", -infinity, 4, 1, 1},
      {"- x + 2e1y <= - 4", -infinity, -4, -1, 20},
      {"0 x + 0 y <= 4", -infinity, 4, 0, 0},
      {"x\n+ y\n<=\n4", -infinity, 4, 1, 1},
      {"x + + y <= +4", -infinity, 4, 1, 1},
      {"r.1:x+y<=.5", -infinity, 0.5, 1, 1},
  };
  for (const RowCase& c : cases) {
    SCOPED_TRACE(c.text);
    const LinearProgram lp = parse("min x + y\nst\n" + c.text + "\nend\n");
    ASSERT_EQ(lp.rows.size(), 1U);
    EXPECT_EQ(lp.row_lower[0], c.low);
    EXPECT_EQ(lp.row_upper[0], c.high);
    EXPECT_EQ(lp.matrix.coeff(0, 0), c.x);
    EXPECT_EQ(lp.matrix.coeff(0, 1), c.y);
  }
}

TEST(Lp, RowsEndWithTheirRightSide) {
  const LinearProgram lp =
      parse("st\n x >= 1\n - y <= 4\n x + y >= 2\n y <= 3\n z >= 2 3 y <= 9\n x >= 2 y\n y <= 1\nend");
  EXPECT_EQ(
      Matrix(lp.matrix),
      (Matrix{{1, 0, 0}, {0, -1, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 3, 0}, {1, -2, 0}, {0, 1, 0}}));
  EXPECT_EQ(lp.row_upper, (Vector{{infinity, 4, infinity, 3, infinity, 9, infinity, 1}}));
}

TEST(Lp, QuadraticObjective) {
  const LinearProgram lp = parse(
      "Minimize\n o: x + [ 4 x^2 + 2 x * y - y ^ 2 + 3*x*z ] / 2 - [z^2]/2\nst\n x + y + z[1] >= 1\nEnd");
  EXPECT_EQ(lp.variables, (Names{"x", "y", "z", "z[1]"}));
  EXPECT_EQ(Matrix(lp.hessian), (Matrix{{4, 1, 1.5, 0}, {1, -1, 0, 0}, {1.5, 0, -1, 0}, {0, 0, 0, 0}}));
  EXPECT_EQ(lp.cost, (Vector{{1, 0, 0, 0}}));
}

TEST(Lp, Headings) {
  for (const char* heading : {"Subject To", "SUBJECT TO", "such that", "st", "S.T.", "st.", "Subject To:"})
    EXPECT_EQ(parse(std::string("min\n obj: x\n") + heading + "\n x >= 1\nend").rows.size(), 1U) << heading;
  for (const char* heading : {"max", "Maximize", "MAXIMISE", "maximum"})
    EXPECT_TRUE(parse(std::string(heading) + " x\nst\n x <= 1\nend").maximise) << heading;
  // Keywords can be labels of rows.
  EXPECT_EQ(parse("st\n bounds: x >= 1\n end: x <= 2\nend").rows, (Names{"bounds", "end"}));
  const LinearProgram lp = parse("min x\nst\n x + y >= 1\nfree\n x\nint\n y\nend");
  EXPECT_EQ(lp.lower[0], -infinity);
  EXPECT_TRUE(lp.integer[1]);
}

TEST(Lp, FormsOfBounds) {
  const auto bounds = [](const std::string& text) {
    const LinearProgram lp = parse("st\n x >= 0\nbounds\n" + text + "\nend");
    return std::pair(lp.lower[0], lp.upper[0]);
  };
  EXPECT_EQ(bounds("x >= -5"), std::pair(-5.0, infinity));
  EXPECT_EQ(bounds("x <= 5"), std::pair(0.0, 5.0));
  EXPECT_EQ(bounds("5 >= x"), std::pair(0.0, 5.0));
  EXPECT_EQ(bounds("5 >= x >= -1"), std::pair(-1.0, 5.0));
  EXPECT_EQ(bounds("x = - 2"), std::pair(-2.0, -2.0));
  EXPECT_EQ(bounds("-Infinity <= x <= +inf"), std::pair(-infinity, infinity));
  EXPECT_EQ(bounds("-1e30 <= x\n x <= -1"), std::pair(-infinity, -1.0));
  EXPECT_EQ(bounds("x FREE"), std::pair(-infinity, infinity));
}

TEST(Lp, QuadraticRows) {
  const LinearProgram lp = parse(
      "min x\nst\n plain: x + y >= 1\n risk: [ 2 x^2 - 3 x * y ] + 4 y <= 5\n half: [ x^2 ] / 2 >= y\n"
      " band: 1 <= [ y^2 ] - [ x^2 ] <= 2\n gone: [ x^2 ] - [ x^2 ] + y <= 3\n moved: y <= [ x^2 ] + 1\nend");
  ASSERT_EQ(lp.rows.size(), 6U);
  ASSERT_EQ(lp.squares.size(), 4U) << "what cancels is linear";
  Matrix risk(2, 2), half(2, 2), band(2, 2), moved(2, 2);
  risk << 2, -1.5, -1.5, 0;
  half << 0.5, 0, 0, 0;
  band << -1, 0, 0, 1;
  moved << -1, 0, 0, 0;
  EXPECT_EQ(Matrix(lp.squares.at(1)), risk);
  EXPECT_EQ(Matrix(lp.squares.at(2)), half);
  EXPECT_EQ(Matrix(lp.squares.at(3)), band);
  EXPECT_EQ(Matrix(lp.squares.at(5)), moved);
  EXPECT_EQ(lp.matrix.coeff(1, 1), 4);
  EXPECT_EQ(lp.matrix.coeff(2, 1), -1);
  EXPECT_EQ(lp.row_upper[1], 5);
  EXPECT_EQ(lp.row_lower[3], 1);
  EXPECT_EQ(lp.row_upper[3], 2);
  EXPECT_EQ(lp.row_upper[5], 1);
  EXPECT_EQ(lp.hessian.nonZeros(), 0);
}

TEST(Lp, NamesOfRowsWithoutLabel) {
  EXPECT_EQ(parse("st\n x >= 0\n c1: x <= 3\n x <= 5\nend").rows, (Names{"c1_", "c1", "c3"}));
}

TEST(Lp, Errors) {
  const std::vector<ErrorCase> cases = {
      {"", "text:1: 'End' is missing"},
      {"garbage here\n",
       "text:1: expected a section ('Minimize', 'Subject To', 'Bounds', 'End') but found 'garbage'"},
      {"x + y <= 1\nEnd", "text:1: expected a section"},
      {"st\n x >= 1\n", "text:3: 'End' is missing: the text may be cut off"},
      {"st\n x >= 1\nend\n more", "text:4: text after 'End': 'more'"},
      {"st\nend", "text: no variables"},
      {"min x\nmax y\nend", "text:2: a second objective"},
      {"min x y\nend", "text:1: expected '+', '-' or 'Subject To' in the objective but found 'y'"},
      {"min x + inf\nend", "text:1: the constant of the objective is not finite"},
      {"st\n c1: x + + >= 2\nend", "text:2: expected the name of a variable in a term but found '>='"},
      {"st\n x y >= 2\nend",
       "text:2: expected '<=', '>=' or '=' after the left side of the row but found 'y'"},
      {"st\n x >=\nend", "text:2: a side of the row is empty"},
      {"st\n <= 3\nend", "text:2: a side of the row is empty"},
      {"st\n 1 <= 2\nend", "text:2: the row has no variable"},
      {"st\n c1:\nend", "text:3: expected a term of a row but found 'end'"},
      {"st\n c1: x >= 1\n c1: x <= 2\nend", "text:3: a second row is named 'c1'"},
      {"st\n x >= 3 <= 4\nend", "text:2: a row with two relations is written 'low <= expression <= high'"},
      {"st\n 1 <= x >= 4\nend", "text:2: a row with two relations"},
      {"st\n 1 <= x <= y\nend", "text:2: a row with two relations"},
      {"st\n band: 3 <= x + y <= 1\nend", "text:2: row 'band': the lower bound 3 is above the upper bound 1"},
      {"st\n x + y >= inf\nend", "text:2: row 1 has the lower bound infinity: nothing meets it"},
      {"st\n x + inf >= 2\nend", "text:2: infinity cannot stand beside variables"},
      {"st\n 1e999 x >= 2\nend", "text:2: the coefficient '1e999' is not finite"},
      {"st\n x >= 2 y\n + z <= 4\nend", "text:3: unclear whether this line goes on with the row above"},
      {"st\n x^2 >= 2\nend", "text:2: quadratic terms of a row are written '[ x^2 + 2 x * y ]'"},
      {"st\n [ x^2 ] / 3 >= 2\nend",
       "text:2: the quadratic part of a row is written '[ ... ]' or '[ ... ] / 2'"},
      {"st\n [ x^3 ] >= 2\nend", "text:2: only the power 2 is supported"},
      {"st\n 1 <= x <= [ x^2 ]\nend", "text:2: a row with two relations"},
      {"min [ x^2 ]\nend", "text:2: the quadratic part of the objective is written '[ ... ] / 2'"},
      {"min [ x^2 ]\nend", "text:2: the quadratic part of the objective is written '[ ... ] / 2'"},
      {"min [ x^3 ] / 2\nend", "text:1: only the power 2 is supported, but found '3'"},
      {"min [ x ] / 2\nend", "text:1: expected '^ 2' or '* name' in the quadratic part but found ']'"},
      {"min [ x^2", "text:1: expected '+', '-' or ']' in the quadratic part but found the end of the text"},
      {"min x st\n x >= 1\nend", "text:1: expected '+', '-' or 'Subject To' in the objective but found 'st'"},
      {"st\n x + st >= 1\nend", "text:2: 'st' is a keyword of the LP format"},
      {"st\n b = 1 -> x >= 2\nend", "text:2: indicator constraints ('->') are not supported"},
      {"st\n x >= 1;\nend", "text:2: the character ';' has no meaning in the LP format"},
      {"st\n .x >= 1\nend", "text:2: the name '.x' starts with a period"},
      {"st\n x, y >= 1\nend", "text:2: the name 'x,' ends with a comma"},
      {"st\n x >= 1\nbounds\n 2 x <= 3\nend", "text:4: expected '<=', '>=' or '=' after the number"},
      {"st\n x >= 1\nbounds\n x <= y\nend", "text:4: expected the number of a bound but found 'y'"},
      {"st\n x >= 1\nbounds\n 1 <= x >= 3\nend",
       "text:4: two bounds on a line are written 'low <= name <= high'"},
      {"st\n x >= 1\nbounds\n x >= 1 <= 3\nend", "text:4: expected one bound per line"},
      {"st\n x >= 1\nbounds\n x = inf\nend", "text:4: a variable cannot be fixed at infinity"},
      {"st\n x >= 1\nbounds\n x >= inf\nend", "text:4: variable 'x' has the lower bound infinity"},
      {"st\n x >= 1\nbounds\n 3 <= x <= 1\nend",
       "text:4: variable 'x': the lower bound 3 is above the upper bound 1"},
      {"st\n x >= 1\nbounds\n x <= -1\nend",
       "text:4: variable 'x': the lower bound 0 (the default: give a lower bound"},
      {"st\n x >= 1\nsos\nend", "text:3: section 'sos' is not supported"},
      {"st\n x >= 1\nint\n 3\nend", "text:4: expected the name of a variable in the list but found '3'"},
  };
  for (const ErrorCase& c : cases) {
    const std::string message = error_of([&] { parse(c.content); });
    EXPECT_TRUE(message.starts_with(c.message)) << c.content << "\ngave: " << message;
  }
}

TEST(Lp, Files) {
  const std::string text = "Minimize\r\n obj: x\r\nSubject To\r\n c: x >= 1\r\nEnd\r\n";
  for (const std::string& path : {write_file("a.lp", text), write_file("a.LP.gz", gzip(text))})
    EXPECT_EQ(read_linear_program(path).rows, (Names{"c"}));
  const std::string bad = write_file("bad.lp", "min x\nst\n x > \nend\n");
  EXPECT_EQ(error_of([&] { read_linear_program(bad); }), bad + ":3: a side of the row is empty");
  const std::string other = write_file("a.txt", text);
  EXPECT_NE(error_of([&] { read_linear_program(other); }).find("must end with .lp, .mps or .qps"),
            std::string::npos);
}

}  // namespace
}  // namespace bridle::io
