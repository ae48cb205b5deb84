#include "bridle/io/mps.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/mps_bounds.hpp"
#include "bridle/io/mps_lines.hpp"
#include "bridle/io/program_builder.hpp"

namespace bridle::io {

namespace {

// Where an MPS row goes: a constraint, the objective, or nowhere (further N rows).
struct MpsRow {
  char type = 'N';
  int constraint = -1;
  int last_column = -1;  // the column that had an entry here last, to find repeated entries
  double rhs = 0, range = 0;
  bool has_rhs = false, has_range = false;
};

class MpsReader {
 public:
  MpsReader(const std::string& path, DefaultBounds defaults)
      : path_(path), lines_(path), builder_(path, defaults), bounds_(lines_, builder_) {}

  LinearProgram read();

 private:
  void read_heading();
  void read_line();
  void read_sense(std::string_view word);
  void read_row();
  void read_column();
  void read_sides(const char* section, std::string& set);
  void read_quadratic();
  void set_sides(const MpsRow& row);
  void check_quadratic_matrix();
  MpsRow& find_row(std::string_view name);
  int find_column(std::string_view name);

  const std::string& path_;
  MpsLines lines_;
  ProgramBuilder builder_;
  MpsBounds bounds_;
  std::string section_;
  NameIndex row_names_;
  std::vector<MpsRow> rows_;
  int objective_ = -1;
  int column_ = -1;
  bool integer_ = false;
  std::string rhs_set_, range_set_;
  std::unordered_set<std::uint64_t> quadratic_;  // positions seen, to find repeated entries
  bool has_quadratic_matrix_ = false;
};

LinearProgram MpsReader::read() {
  while (lines_.next()) {
    if (!lines_.is_heading()) {
      read_line();
      continue;
    }
    read_heading();
    if (section_ != "ENDATA") continue;
    for (const MpsRow& row : rows_) set_sides(row);
    if (has_quadratic_matrix_) check_quadratic_matrix();
    return builder_.finish();
  }
  throw InputError(path_, 0,
                   section_.empty() ? "no MPS sections found" : "ENDATA is missing: the file may be cut off");
}

void MpsReader::read_heading() {
  static const Names known = {"NAME",   "OBJSENSE", "ROWS",     "COLUMNS", "RHS",   "RANGES",
                              "BOUNDS", "QUADOBJ",  "QSECTION", "QMATRIX", "ENDATA"};
  section_ = std::string(lines_.words().front());
  if (std::find(known.begin(), known.end(), section_) == known.end())
    lines_.refuse("section " + in_quotes(section_) + " is not known or not supported" +
                  did_you_mean(section_, known));
  if (section_ == "OBJSENSE" && lines_.words().size() > 1) read_sense(lines_.words()[1]);
  if (section_ == "QMATRIX") has_quadratic_matrix_ = true;
  if (section_.starts_with("Q") && !quadratic_.empty()) lines_.refuse("a second quadratic section");
}

void MpsReader::read_line() {
  if (section_ == "ROWS") return read_row();
  if (section_ == "COLUMNS") return read_column();
  if (section_ == "RHS") return read_sides("RHS", rhs_set_);
  if (section_ == "RANGES") return read_sides("RANGES", range_set_);
  if (section_ == "BOUNDS") return bounds_.read_line();
  if (section_.starts_with("Q")) return read_quadratic();
  if (section_ == "OBJSENSE") return read_sense(lines_.words().front());
  lines_.refuse(section_.empty() ? "data before the first section" : "data in section " + section_);
}

void MpsReader::read_sense(std::string_view word) {
  const bool max = equal_ignoring_case(word, "MAX") || equal_ignoring_case(word, "MAXIMIZE");
  const bool min = equal_ignoring_case(word, "MIN") || equal_ignoring_case(word, "MINIMIZE");
  if (!max && !min) lines_.refuse("OBJSENSE is MIN or MAX, not " + in_quotes(word));
  builder_.maximise = max;
}

void MpsReader::read_row() {
  const auto [type, name] = lines_.row();
  const char kind =
      type.size() == 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(type[0]))) : '?';
  if (std::string_view("NLGE").find(kind) == std::string_view::npos)
    lines_.refuse("the type of a row is N, L, G or E, not " + in_quotes(type));
  if (row_names_.find(name) >= 0) lines_.refuse("a second row is named " + in_quotes(name));
  MpsRow row;
  row.type = kind;
  if (kind != 'N') {
    row.constraint = static_cast<int>(builder_.rows.size());
    builder_.rows.emplace_back().name = std::string(name);
  } else if (objective_ < 0) {
    objective_ = row_names_.size();
    builder_.objective_name = std::string(name);
  }
  row_names_.add(name);
  rows_.push_back(row);
}

void MpsReader::read_column() {
  if (lines_.words().size() >= 3 && lines_.words()[1] == "'MARKER'") {
    integer_ = lines_.words()[2] == "'INTORG'";
    if (!integer_ && lines_.words()[2] != "'INTEND'")
      lines_.refuse("unknown marker " + in_quotes(lines_.words()[2]));
    return;
  }
  lines_.split_pairs(false);
  if (column_ < 0 || builder_.variable_names()[static_cast<std::size_t>(column_)] != lines_.head()) {
    if (builder_.find_variable(lines_.head()) >= 0)
      lines_.refuse("column " + in_quotes(lines_.head()) +
                    " was begun before: its lines must follow each other");
    column_ = builder_.variable(lines_.head(), lines_.line());
    builder_.variables.back().integer = integer_;
  }
  for (const auto& [name, value] : lines_.pairs()) {
    MpsRow& row = find_row(name);
    if (!is_finite(value)) lines_.refuse("the coefficient in row " + in_quotes(name) + " is not finite");
    if (row.last_column == column_)
      lines_.refuse("a second entry in row " + in_quotes(name) + " of the same column");
    row.last_column = column_;
    if (row.constraint >= 0)
      builder_.entries.emplace_back(row.constraint, column_, value);
    else if (&row - rows_.data() == objective_)
      builder_.variables[static_cast<std::size_t>(column_)].cost = value;
  }
}

void MpsReader::read_sides(const char* section, std::string& set) {
  lines_.split_pairs(true);
  if (set.empty()) set = std::string(lines_.head());
  if (!lines_.head().empty() && lines_.head() != set)
    lines_.refuse(std::string(section) + ": a second set " + in_quotes(lines_.head()) + " beside " +
                  in_quotes(set) + "; keep one");
  const bool ranges = std::string_view(section) == "RANGES";
  for (const auto& [name, value] : lines_.pairs()) {
    MpsRow& row = find_row(name);
    if (ranges && row.type == 'N') lines_.refuse("row " + in_quotes(name) + " is of type N: it has no range");
    if (std::exchange(ranges ? row.has_range : row.has_rhs, true))
      lines_.refuse(std::string(section) + ": a second entry for row " + in_quotes(name));
    (ranges ? row.range : row.rhs) = value;
    if (row.constraint >= 0) builder_.rows[static_cast<std::size_t>(row.constraint)].line = lines_.line();
    if (&row - rows_.data() != objective_) continue;
    if (!is_finite(value)) lines_.refuse("the constant of the objective is not finite");
    builder_.offset = -value;
  }
}

void MpsReader::set_sides(const MpsRow& row) {
  if (row.constraint < 0) return;
  ProgramBuilder::Row& target = builder_.rows[static_cast<std::size_t>(row.constraint)];
  const double width = std::abs(row.range);
  if (row.type != 'L') target.lower = row.rhs;
  if (row.type != 'G') target.upper = row.rhs;
  if (row.has_range && row.type == 'L') target.lower = row.rhs - width;
  if (row.has_range && row.type == 'G') target.upper = row.rhs + width;
  if (row.has_range && row.type == 'E') (row.range < 0 ? target.lower : target.upper) = row.rhs + row.range;
  target.lower = widened(target.lower);
  target.upper = widened(target.upper);
}

void MpsReader::read_quadratic() {
  lines_.split_pairs(false);
  const int first = find_column(lines_.head());
  for (const auto& [name, value] : lines_.pairs()) {
    const int second = find_column(name);
    if (!is_finite(value)) lines_.refuse("the coefficient for " + in_quotes(name) + " is not finite");
    const auto low = static_cast<std::uint64_t>(has_quadratic_matrix_ ? first : std::min(first, second));
    const auto high = static_cast<std::uint64_t>(has_quadratic_matrix_ ? second : std::max(first, second));
    if (!quadratic_.insert(low << 32 | high).second)
      lines_.refuse("a second entry for " + in_quotes(lines_.head()) + " and " + in_quotes(name) +
                    (has_quadratic_matrix_ ? "" : "; " + section_ + " lists one triangle only"));
    builder_.hessian_entries.emplace_back(first, second, value);
    if (!has_quadratic_matrix_ && first != second)
      builder_.hessian_entries.emplace_back(second, first, value);
  }
}

// QMATRIX lists both triangles; the entries of one pair may differ by rounding only.
void MpsReader::check_quadratic_matrix() {
  const auto n = static_cast<Index>(builder_.variables.size());
  SparseColumns matrix(n, n);
  matrix.setFromTriplets(builder_.hessian_entries.begin(), builder_.hessian_entries.end());
  for (ProgramBuilder::Entry& e : builder_.hessian_entries) {
    const double mirror = matrix.coeff(e.col(), e.row());
    if (std::abs(e.value() - mirror) > 1e-9 * std::max(std::abs(e.value()), std::abs(mirror)))
      throw InputError(path_, 0,
                       "QMATRIX is not symmetric at " +
                           in_quotes(builder_.variable_names()[static_cast<std::size_t>(e.row())]) + " and " +
                           in_quotes(builder_.variable_names()[static_cast<std::size_t>(e.col())]));
    e = ProgramBuilder::Entry(e.row(), e.col(), (e.value() + mirror) / 2);
  }
}

MpsRow& MpsReader::find_row(std::string_view name) {
  const int found = row_names_.find(name);
  if (found < 0) lines_.refuse("no row is named " + in_quotes(name) + did_you_mean(name, row_names_.names()));
  return rows_[static_cast<std::size_t>(found)];
}

int MpsReader::find_column(std::string_view name) {
  const int found = builder_.find_variable(name);
  if (found < 0)
    lines_.refuse("no column is named " + in_quotes(name) + did_you_mean(name, builder_.variable_names()));
  return found;
}

}  // namespace

LinearProgram read_mps(const std::string& path, DefaultBounds defaults) {
  return MpsReader(path, defaults).read();
}

}  // namespace bridle::io
