#include <map>
#include <random>

#include <CoinMpsIO.hpp>

#include "bridle/io/linear_program.hpp"

#include "tests/io/files.hpp"

namespace bridle::io {
namespace {

using bridle::testing::error_of;
using bridle::testing::ErrorCase;
using bridle::testing::gzip;
using bridle::testing::shared;
using bridle::testing::write_file;

const std::string small = R"(* comment
NAME          SMALL  a name of words
OBJSENSE
    MAX
ROWS
 N  COST
 L  LIM1
 G  LIM2
 E  EQ
 E  EQ2
 N  OTHER
 L  LIM3
COLUMNS
    X  COST 1 LIM1 1
    X  LIM2 1  OTHER 5
    MARKER    'MARKER'   'INTORG'
    Y  COST 2 EQ -1
    MARKER    'MARKER'   'INTEND'
    Z  EQ 1 LIM3 1
    Z  EQ2 4
    W  LIM1 1
    V  LIM1 1
    U  LIM1 1
RHS
    RHS COST 9 LIM1 4
    RHS LIM2 1 EQ 7
    RHS OTHER 3 LIM3 1e30
RANGES
    RNG LIM1 2.5 LIM2 4
    RNG EQ -3 EQ2 3
BOUNDS
 UP BND X 4
 LO BND Y -1
 UP BND Y 1
 FR BND Z
 UP BND W -2
 MI BND V
 BV BND U
QUADOBJ
    X X 2
    X Y -1
ENDATA
)";

TEST(Mps, WholeProgram) {
  const LinearProgram lp = read_linear_program(write_file("small.mps", small));
  EXPECT_TRUE(lp.maximise);
  EXPECT_EQ(lp.objective_name, "COST");
  EXPECT_EQ(lp.offset, -9);
  EXPECT_EQ(lp.variables, (Names{"X", "Y", "Z", "W", "V", "U"}));
  EXPECT_EQ(lp.rows, (Names{"LIM1", "LIM2", "EQ", "EQ2", "LIM3"}));
  EXPECT_EQ(lp.cost, (Vector{{1, 2, 0, 0, 0, 0}}));
  EXPECT_EQ(lp.row_lower, (Vector{{1.5, 1, 4, 0, -infinity}}));
  EXPECT_EQ(lp.row_upper, (Vector{{4, 5, 7, 3, infinity}}));
  EXPECT_EQ(lp.lower, (Vector{{0, -1, -infinity, -infinity, -infinity, 0}}));
  EXPECT_EQ(lp.upper, (Vector{{4, 1, infinity, -2, infinity, 1}}));
  EXPECT_EQ(lp.integer, (std::vector<bool>{false, true, false, false, false, true}));
  EXPECT_EQ(lp.matrix.nonZeros(), 9);
  EXPECT_EQ(lp.matrix.coeff(3, 2), 4);
  EXPECT_EQ(Matrix(lp.hessian).topLeftCorner(2, 2), (Matrix{{2, -1}, {-1, 0}}));
}

TEST(Mps, DefaultBounds) {
  const std::string text =
      "NAME\nROWS\n N c\n L r\nCOLUMNS\n x r 1\n y r 1\nRHS\nBOUNDS\n UP b y 3\nENDATA\n";
  const std::string path = write_file("a.mps.gz", gzip(text));
  const LinearProgram lp = read_linear_program(path);
  EXPECT_EQ(lp.bounded, (std::vector<bool>{false, true}));
  EXPECT_EQ(lp.lower, (Vector{{0, 0}}));
  EXPECT_EQ(read_linear_program(path, DefaultBounds::free).lower, (Vector{{-infinity, -infinity}}));
}

TEST(Mps, BlanksInNamesOfTheFixedFormat) {
  const LinearProgram lp =
      read_linear_program(write_file("fixed.mps",
                                     "NAME          FIX\n"
                                     "ROWS\n"
                                     " N  MY COST\n"
                                     " L  ROW 1\n"
                                     "COLUMNS\n"
                                     "    COL 1     MY COST            1.5   ROW 1              2.\n"
                                     "    PLAIN     ROW 1              3.\n"
                                     "RHS\n"
                                     "    THE RHS   ROW 1              4.\n"
                                     "BOUNDS\n"
                                     " UP A SET     COL 1              5.\n"
                                     " FR A SET     PLAIN\n"
                                     "ENDATA\n"));
  EXPECT_EQ(lp.variables, (Names{"COL 1", "PLAIN"}));
  EXPECT_EQ(lp.rows, (Names{"ROW 1"}));
  EXPECT_EQ(lp.cost, (Vector{{1.5, 0}}));
  EXPECT_EQ(Matrix(lp.matrix), (Matrix{{2, 3}}));
  EXPECT_EQ(lp.row_upper[0], 4);
  EXPECT_EQ(lp.upper, (Vector{{5, infinity}}));
  EXPECT_EQ(lp.lower, (Vector{{0, -infinity}}));
}

TEST(Mps, QuadraticMatrixListsBothTriangles) {
  const std::string head = "ROWS\n N c\n L r\nCOLUMNS\n x r 1\n y r 1\n";
  const LinearProgram lp =
      read_linear_program(write_file("a.qps", head + "QMATRIX\n x x 2\n x y 1\n y x 1\nENDATA\n"));
  EXPECT_EQ(Matrix(lp.hessian), (Matrix{{2, 1}, {1, 0}}));
  EXPECT_NE(error_of([&, path = write_file("b.qps", head + "QMATRIX\n x x 2\n x y 1\nENDATA\n")] {
              read_linear_program(path);
            }).find("QMATRIX is not symmetric at 'x' and 'y'"),
            std::string::npos);
}

TEST(Mps, Errors) {
  const std::string rows = "NAME a\nROWS\n N obj\n L c1\n";
  const std::string columns = rows + "COLUMNS\n x obj 1 c1 1\n";
  const std::vector<ErrorCase> cases = {
      {"", ": no MPS sections found"},
      {"hello\n", ":1: section 'hello' is not known"},
      {"ROWZ\n", ":1: section 'ROWZ' is not known or not supported; did you mean 'ROWS'?"},
      {" x 1\n", ":1: data before the first section"},
      {columns, ": ENDATA is missing: the file may be cut off"},
      {"ROWS\n X c1\n", ":2: the type of a row is N, L, G or E, not 'X'"},
      {"ROWS\n L\n", ":2: a ROWS line has a type and a name, but this one has 1 fields"},
      {"ROWS\n L a\n G a\n", ":3: a second row is named 'a'"},
      {rows + "COLUMNS\n x c9 1\n", ":6: no row is named 'c9'; did you mean 'c1'?"},
      {rows + "COLUMNS\n x c1 abc\n", ":6: 'abc' is not a number"},
      {rows + "COLUMNS\n x c1 nan\n", ":6: 'nan' is not a number"},
      {rows + "COLUMNS\n x c1 1e999\n", ":6: the coefficient in row 'c1' is not finite"},
      {rows + "COLUMNS\n x c1\n", ":6: 2 fields, but 3 or 5 are needed"},
      {rows + "COLUMNS\n x c1 1 c1 2\n", ":6: a second entry in row 'c1' of the same column"},
      {columns + " y c1 1\n x c1 2\n", ":8: column 'x' was begun before"},
      {rows + "COLUMNS\n M 'MARKER' 'SOSORG'\n", ":6: unknown marker ''SOSORG''"},
      {columns + "RHS\n RHS c1 1\n RHS c1 2\n", ":9: RHS: a second entry for row 'c1'"},
      {columns + "RHS\n RHS c1 1\n RHT obj 2\n", ":9: RHS: a second set 'RHT' beside 'RHS'; keep one"},
      {columns + "RHS\n RHS obj inf\n", ":8: the constant of the objective is not finite"},
      {columns + "RANGES\n RNG obj 1\n", ":8: row 'obj' is of type N: it has no range"},
      {columns + "BOUNDS\n UP BND z 3\n", ":8: no column is named 'z'; did you mean 'x'?"},
      {columns + "BOUNDS\n XX BND x 3\n", ":8: the type of bound 'XX' is not known"},
      {columns + "BOUNDS\n UP BND x\n", ":8: 'x' is not a number"},
      {columns + "BOUNDS\n UP x\n", ":8: 2 fields, but a bound of type UP has"},
      {columns + "BOUNDS\n FR\n", ":8: 1 fields, but a bound of type FR has a set and a name"},
      {columns + "BOUNDS\n FX BND x inf\n", ":8: a variable cannot be fixed at infinity"},
      {columns + "BOUNDS\n LO BND x 3\n UP BND x 1\nENDATA\n",
       ":9: variable 'x': the lower bound 3 is above the upper bound 1"},
      {columns + "RHS\n RHS c1 -1e30\nENDATA\n", ":8: row 'c1' has the upper bound -infinity"},
      {columns + "QUADOBJ\n x z 1\n", ":8: no column is named 'z'"},
      {columns + "QUADOBJ\n x x 1\n x x 2\n",
       ":9: a second entry for 'x' and 'x'; QUADOBJ lists one triangle only"},
      {columns + "OBJSENSE\n UP\n", ":8: OBJSENSE is MIN or MAX, not 'UP'"},
      {columns + "SOS\n", ":7: section 'SOS' is not known or not supported"},
  };
  for (const ErrorCase& c : cases) {
    const std::string path = write_file("bad.mps", c.content);
    const std::string message = error_of([&] { read_linear_program(path); });
    EXPECT_TRUE(message.starts_with(path + c.message)) << c.content << "\ngave: " << message;
  }
}

// Any damage gives a program or an InputError, nothing else.
TEST(Mps, DamagedFilesNeverCrash) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < 3000; ++i) {
    std::string text = small;
    for (std::size_t k = 1 + below(8); k > 0; --k) {
      const std::size_t at = below(text.size());
      if (i % 3 == 0) text[at] = static_cast<char>(1 + below(255));
      if (i % 3 == 1) text.erase(at, 1 + below(20));
      if (i % 3 == 2) text.insert(at, text.substr(below(text.size()), 1 + below(40)));
    }
    error_of([&, path = write_file("damaged.mps", text)] { read_linear_program(path); });
    error_of([&] { parse_lp(text, "text"); });
  }
}

struct Expected {
  Index rows, columns, nonzeros;
  Index hessian = 0;  // entries of both triangles
};

TEST(Mps, SharedFilesHaveTheSizesOfTheReadme) {
  SKIP_WITHOUT_SHARED_DATA();
  const std::map<std::string, Expected> files = {
      {"netlib/adlittle.mps", {56, 97, 383}},
      {"netlib/afiro.mps", {27, 32, 83}},
      {"netlib/blend.mps", {74, 83, 491}},
      {"netlib/boeing2.mps", {166, 143, 1196}},
      {"netlib/brandy.mps", {220, 249, 2148}},
      {"netlib/israel.mps", {174, 142, 2269}},
      {"netlib/kb2.mps", {43, 41, 286}},
      {"netlib/recipe.mps", {91, 180, 663}},
      {"netlib/sc105.mps", {105, 103, 280}},
      {"netlib/sc50a.mps", {50, 48, 130}},
      {"netlib/sc50b.mps", {50, 48, 118}},
      {"netlib/share2b.mps", {96, 79, 694}},
      {"maros-meszaros/CVXQP1_S.QPS", {50, 100, 148, 100 + 2 * 286}},
      {"maros-meszaros/DUAL4.QPS", {1, 75, 75, 75 + 2 * 2724}},
      {"maros-meszaros/HS118.QPS", {17, 15, 39, 15}},
      {"maros-meszaros/HS35.QPS", {1, 3, 3, 3 + 2 * 2}},
      {"maros-meszaros/LOTSCHD.QPS", {7, 12, 54, 6}},
      {"maros-meszaros/PRIMALC2.QPS", {7, 231, 1617, 230}},
      {"maros-meszaros/QAFIRO.QPS", {27, 32, 83, 3 + 2 * 3}},
      {"maros-meszaros/QPCBLEND.QPS", {74, 83, 491, 83}},
      {"maros-meszaros/QPTEST.QPS", {2, 2, 4, 2 + 2 * 1}},
  };
  for (const auto& [name, expected] : files) {
    SCOPED_TRACE(name);
    const LinearProgram lp = read_linear_program(shared(name));
    EXPECT_EQ(lp.matrix.rows(), expected.rows);
    EXPECT_EQ(lp.matrix.cols(), expected.columns);
    EXPECT_EQ(lp.matrix.nonZeros(), expected.nonzeros);
    EXPECT_EQ(lp.hessian.nonZeros(), expected.hessian);
    EXPECT_EQ((Matrix(lp.hessian) - Matrix(lp.hessian).transpose()).norm(), 0);
  }
}

Vector widened_copy(const double* values, int n) {
  return Eigen::Map<const Vector>(values, n).unaryExpr([](double v) {
    return v > 1e20 ? infinity : v < -1e20 ? -infinity : v;
  });
}

// CoinUtils is off by a unit in the last place for many decimals ("-.35"), so equal means nearly equal.
void expect_same(const Vector& ours, const Vector& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (Index i = 0; i < ours.size(); ++i) EXPECT_DOUBLE_EQ(ours[i], theirs[i]) << i;
}

// An independent reader must see the same program.
TEST(Mps, SharedFilesAgreeWithCoinUtils) {
  SKIP_WITHOUT_SHARED_DATA();
  for (const char* folder : {"netlib", "maros-meszaros"}) {
    for (const auto& file : std::filesystem::directory_iterator(shared(folder))) {
      SCOPED_TRACE(file.path());
      CoinMpsIO coin;
      coin.messageHandler()->setLogLevel(0);
      ASSERT_EQ(coin.readMps(file.path().c_str(), ""), 0);
      const LinearProgram lp = read_linear_program(file.path());
      const int n = coin.getNumCols();
      const int m = coin.getNumRows();
      expect_same(lp.cost, widened_copy(coin.getObjCoefficients(), n));
      EXPECT_EQ(lp.offset, -coin.objectiveOffset());
      expect_same(lp.lower, widened_copy(coin.getColLower(), n));
      expect_same(lp.upper, widened_copy(coin.getColUpper(), n));
      expect_same(lp.row_lower, widened_copy(coin.getRowLower(), m));
      expect_same(lp.row_upper, widened_copy(coin.getRowUpper(), m));
      for (int j = 0; j < n; ++j) EXPECT_EQ(lp.variables[static_cast<std::size_t>(j)], coin.columnName(j));
      for (int i = 0; i < m; ++i) EXPECT_EQ(lp.rows[static_cast<std::size_t>(i)], coin.rowName(i));
      for (int i = 0; i < m; ++i)
        for (SparseRows::InnerIterator e(lp.matrix, i); e; ++e)
          EXPECT_DOUBLE_EQ(e.value(), coin.getMatrixByCol()->getCoefficient(i, static_cast<int>(e.col())));
    }
  }
}

TEST(Mps, SharedHs35HasItsPublishedOptimum) {
  SKIP_WITHOUT_SHARED_DATA();
  const LinearProgram lp = read_linear_program(shared("maros-meszaros/HS35.QPS"));
  EXPECT_EQ(lp.offset, 9);
  const Vector x{{4.0 / 3, 7.0 / 9, 4.0 / 9}};
  EXPECT_NEAR(lp.offset + lp.cost.dot(x) + 0.5 * x.dot(lp.hessian * x), 1.0 / 9, 1e-14);
}

}  // namespace
}  // namespace bridle::io
