#include "bridle/apps/data/program_rows.hpp"

#include <map>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"

namespace bridle {

void add_program(Problem& problem, const io::LinearProgram& program, const std::string& where,
                 Bounds& bounds) {
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
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < program.matrix.rows(); ++i)
    for (SparseRows::InnerIterator it(program.matrix, i); it; ++it)
      entries.emplace_back(i, column[static_cast<std::size_t>(it.col())], it.value());
  SparseRows matrix(program.matrix.rows(), problem.dimension());
  matrix.setFromTriplets(entries.begin(), entries.end());
  try {
    if (matrix.rows() > 0) problem.subject_to(matrix, program.row_lower, program.row_upper, program.rows);
  } catch (const InputError& error) {
    throw InputError(where, 0, error.what());
  }
  for (std::size_t k = 0; k < column.size(); ++k)
    if (program.bounded[k]) {
      const Index j = column[k], from = static_cast<Index>(k);
      bounds.lower[j] = std::max(bounds.lower[j], program.lower[from]);
      bounds.upper[j] = std::min(bounds.upper[j], program.upper[from]);
      if (bounds.lower[j] > bounds.upper[j])
        throw InputError(where, program.variable_lines[k],
                         fmt::format("variable '{}' is left with lower bound {} above upper bound {}",
                                     program.variables[k], bounds.lower[j], bounds.upper[j]));
    }
}

}  // namespace bridle
