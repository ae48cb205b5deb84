#include "bridle/apps/data/program_rows.hpp"

#include <map>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/problem/constraints/quadratic_rows.hpp"

namespace bridle {
namespace {

// Some rows of the program: their places, bounds and names.
struct Selection {
  std::vector<Index> rows;
  Vector lower, upper;
  Names names;
};
Selection select(const io::LinearProgram& program, bool quadratic) {
  Selection out;
  for (Index i = 0; i < program.matrix.rows(); ++i)
    if (program.squares.contains(i) == quadratic) out.rows.push_back(i);
  out.lower = program.row_lower(out.rows);
  out.upper = program.row_upper(out.rows);
  for (const Index i : out.rows) out.names.push_back(program.rows[static_cast<std::size_t>(i)]);
  return out;
}

// `column`: the problem's variable for each of the program's.
void add_linear_rows(Problem& problem, const io::LinearProgram& program, const std::vector<Index>& column) {
  const auto [rows, lower, upper, names] = select(program, false);
  if (rows.empty()) return;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (SparseRows::InnerIterator it(program.matrix, rows[k]); it; ++it)
      entries.emplace_back(static_cast<Index>(k), column[static_cast<std::size_t>(it.col())], it.value());
  SparseRows matrix(static_cast<Index>(rows.size()), problem.dimension());
  matrix.setFromTriplets(entries.begin(), entries.end());
  problem.subject_to(matrix, lower, upper, names);
}

void add_quadratic_rows(Problem& problem, const io::LinearProgram& program,
                        const std::vector<Index>& column) {
  const auto [rows, lower, upper, names] = select(program, true);
  if (rows.empty()) return;
  const Index n = problem.dimension();
  QuadraticRows quadratic(n);
  for (const Index i : rows) {
    Vector linear = Vector::Zero(n);
    for (SparseRows::InnerIterator it(program.matrix, i); it; ++it)
      linear[column[static_cast<std::size_t>(it.col())]] += it.value();
    std::vector<Eigen::Triplet<double>> entries;
    const SparseColumns& square = program.squares.at(i);
    for (Index j = 0; j < square.outerSize(); ++j)
      for (SparseColumns::InnerIterator it(square, j); it; ++it)
        entries.emplace_back(column[static_cast<std::size_t>(it.row())], column[static_cast<std::size_t>(j)],
                             it.value());
    SparseColumns placed(n, n);
    placed.setFromTriplets(entries.begin(), entries.end());
    quadratic.add(std::move(placed), std::move(linear));
  }
  problem.subject_to_smooth(std::move(quadratic), lower, upper, names);
}

}  // namespace

void add_program(Problem& problem, const io::LinearProgram& program, const std::string& where, Bounds& bounds,
                 Bounds* stated) {
  const Names& names = problem.variable_names();
  std::map<std::string, Index> position;
  for (std::size_t j = 0; j < names.size(); ++j) position[names[j]] = static_cast<Index>(j);
  std::vector<Index> column;
  for (std::size_t k = 0; k < program.variables.size(); ++k) {
    const std::string& name = program.variables[k];
    const auto found = position.find(name);
    if (found == position.end())
      throw InputError(where, program.variable_lines[k],
                       "variable '" + name + "' is not in the objective" + did_you_mean(name, names));
    column.push_back(found->second);
  }
  try {
    add_linear_rows(problem, program, column);
    add_quadratic_rows(problem, program, column);
  } catch (const InputError& error) {
    throw InputError(where, 0, error.what());
  }
  for (std::size_t k = 0; k < column.size(); ++k)
    if (program.bounded[k]) {
      const Index j = column[k], from = static_cast<Index>(k);
      for (Bounds* const narrowed : {&bounds, stated}) {
        if (!narrowed) continue;
        narrowed->lower[j] = std::max(narrowed->lower[j], program.lower[from]);
        narrowed->upper[j] = std::min(narrowed->upper[j], program.upper[from]);
      }
      if (bounds.lower[j] > bounds.upper[j])
        throw InputError(where, program.variable_lines[k],
                         fmt::format("variable '{}' is left with lower bound {} above upper bound {}",
                                     program.variables[k], bounds.lower[j], bounds.upper[j]));
    }
}

}  // namespace bridle
