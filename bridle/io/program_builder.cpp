#include "bridle/io/program_builder.hpp"

#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "bridle/core/error.hpp"

namespace bridle::io {

int ProgramBuilder::variable(std::string_view name, long line) {
  const int known = names_.find(name);
  if (known >= 0) return known;
  variables.emplace_back().lower = default_lower_;
  variables.back().first_line = line;
  return names_.add(name);
}

void ProgramBuilder::set_lower(int variable, double value, long line) {
  Variable& v = variables[static_cast<std::size_t>(variable)];
  v.lower = widened(value);
  v.lower_given = v.bounded = true;
  v.line = line;
}

void ProgramBuilder::set_upper(int variable, double value, long line) {
  Variable& v = variables[static_cast<std::size_t>(variable)];
  v.upper = widened(value);
  v.upper_given = v.bounded = true;
  v.line = line;
}

LinearProgram ProgramBuilder::finish() {
  if (variables.empty()) throw InputError(where_, 0, "no variables");
  check();
  LinearProgram program;
  program.variables = names_.names();
  program.offset = offset;
  program.maximise = maximise;
  program.objective_name = objective_name;
  name_rows(program);
  fill_vectors(program);
  fill_matrices(program);
  return program;
}

void ProgramBuilder::check() const {
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const Variable& v = variables[j];
    const bool by_default = v.upper_given && !v.lower_given && v.lower == 0;
    check_pair("variable " + in_quotes(names_.names()[j]), v.lower, v.upper, v.line,
               by_default ? " (the default: give a lower bound, such as -inf)" : "");
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    check_pair("row " + (rows[i].name.empty() ? std::to_string(i + 1) : in_quotes(rows[i].name)),
               rows[i].lower, rows[i].upper, rows[i].line, "");
  for (const Entry& e : entries)
    if (!is_finite(e.value()))
      throw InputError(where_, rows[static_cast<std::size_t>(e.row())].line, "a coefficient is not finite");
}

void ProgramBuilder::check_pair(const std::string& what, double low, double high, long line,
                                const char* hint) const {
  if (low == infinity)
    throw InputError(where_, line, what + " has the lower bound infinity: nothing meets it");
  if (high == -infinity)
    throw InputError(where_, line, what + " has the upper bound -infinity: nothing meets it");
  // Written so that a NaN is refused too.
  if (!(low <= high))
    throw InputError(
        where_, line,
        fmt::format("{}: the lower bound {}{} is above the upper bound {}", what, low, hint, high));
}

void ProgramBuilder::name_rows(LinearProgram& program) const {
  std::unordered_set<std::string_view> taken;
  for (const Row& row : rows) taken.insert(row.name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string name = rows[i].name;
    if (name.empty()) name = "c" + std::to_string(i + 1);
    while (rows[i].name.empty() && taken.count(name) > 0) name += "_";
    program.rows.push_back(std::move(name));
  }
}

void ProgramBuilder::fill_vectors(LinearProgram& program) const {
  const auto n = static_cast<Index>(variables.size());
  const auto m = static_cast<Index>(rows.size());
  for (Vector* v : {&program.cost, &program.lower, &program.upper}) v->resize(n);
  for (Vector* v : {&program.row_lower, &program.row_upper}) v->resize(m);
  for (Index j = 0; j < n; ++j) {
    const Variable& v = variables[static_cast<std::size_t>(j)];
    program.cost[j] = v.cost;
    program.lower[j] = v.lower;
    program.upper[j] = v.upper;
    program.bounded.push_back(v.bounded);
    program.integer.push_back(v.integer);
    program.variable_lines.push_back(v.first_line);
  }
  for (Index i = 0; i < m; ++i) {
    program.row_lower[i] = rows[static_cast<std::size_t>(i)].lower;
    program.row_upper[i] = rows[static_cast<std::size_t>(i)].upper;
  }
}

void ProgramBuilder::fill_matrices(LinearProgram& program) const {
  const auto n = static_cast<Index>(variables.size());
  const auto is_nonzero = [](Index, Index, double value) { return value != 0; };
  program.matrix.resize(static_cast<Index>(rows.size()), n);
  program.matrix.setFromTriplets(entries.begin(), entries.end());
  program.matrix.prune(is_nonzero);
  program.hessian.resize(n, n);
  program.hessian.setFromTriplets(hessian_entries.begin(), hessian_entries.end());
  program.hessian.prune(is_nonzero);
  for (const auto& [row, products] : square_entries) {
    SparseColumns square(n, n);
    square.setFromTriplets(products.begin(), products.end());
    square.prune(is_nonzero);
    if (square.nonZeros() > 0) program.squares.emplace(row, std::move(square));
  }
}

}  // namespace bridle::io
