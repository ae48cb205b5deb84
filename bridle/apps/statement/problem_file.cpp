#include "bridle/apps/statement/problem_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fnmatch.h>

#include "bridle/apps/fair/covariance.hpp"
#include "bridle/apps/statement/objective_section.hpp"
#include "bridle/apps/statement/toml_file.hpp"
#include "bridle/problem/sets/sets.hpp"

namespace bridle {
namespace {

std::vector<Index> matching(const Names& names, const std::string& pattern, const TomlSection& section,
                            const toml::node& node, const std::string& key) {
  std::vector<Index> out;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] == pattern || ::fnmatch(pattern.c_str(), names[j].c_str(), 0) == 0)
      out.push_back(static_cast<Index>(j));
  if (out.empty())
    throw section.error(node, key, "'" + pattern + "' matches no variable" + did_you_mean(pattern, names));
  return out;
}

// The columns named in [constraints] covariance: no features, but sources of rows.
std::map<std::string, double> read_covariance(TomlSection& constraints) {
  std::map<std::string, double> out;
  const toml::node* node = constraints.find("covariance");
  if (!node) return out;
  const auto* table = node->as_table();
  if (!table) throw constraints.error(*node, "covariance", "must be a table such as { sex = 0.001 }");
  for (const auto& [key, value] : *table) {
    const double bound = constraints.number(value, "covariance." + std::string(key.str()));
    if (!(bound >= 0)) throw constraints.error(value, "covariance", "bounds must be >= 0");
    out[std::string(key.str())] = bound;
  }
  return out;
}

// Later patterns override earlier ones; exact names override patterns.
void read_bounds(TomlSection& variables, const Names& names, Bounds& bounds) {
  const toml::node* node = variables.find("bounds");
  if (!node) return;
  const auto* table = node->as_table();
  if (!table) throw variables.error(*node, "bounds", "must be a table such as { \"*\" = [-10, 10] }");
  for (const bool exact : {false, true})
    for (const auto& [key, value] : *table) {
      const std::string pattern(key.str());
      if (exact != (std::find(names.begin(), names.end(), pattern) != names.end())) continue;
      const auto* pair = value.as_array();
      if (!pair || pair->size() != 2)
        throw variables.error(value, "bounds", "of '" + pattern + "' must be [lower, upper]");
      const double lower = variables.number((*pair)[0], "bounds"),
                   upper = variables.number((*pair)[1], "bounds");
      if (lower > upper)
        throw variables.error(value, "bounds",
                              fmt::format("of '{}' have lower {} > upper {}", pattern, lower, upper));
      for (const Index j : matching(names, pattern, variables, value, "bounds")) {
        bounds.lower[j] = lower;
        bounds.upper[j] = upper;
      }
    }
}

// A block of variables: a list of patterns, or { variables = [...], KEY = number }.
struct Group {
  std::vector<Index> indices;
  double number;
};

std::optional<Group> read_group(TomlSection& section, const Names& names, const std::string& key,
                                const std::string& number_key) {
  const toml::node* node = section.find(key);
  if (!node) return std::nullopt;
  Group out{{}, 1};
  const toml::array* patterns = node->as_array();
  if (const auto* table = node->as_table()) {
    TomlSection inner(section.file(), "variables." + key, table);
    const toml::node* list = inner.find("variables");
    patterns = list ? list->as_array() : nullptr;
    if (!number_key.empty()) out.number = inner.number(number_key).value_or(1);
    inner.refuse_unknown_keys();
  }
  if (!patterns) throw section.error(*node, key, "must be a list of variable names or patterns");
  for (const auto& item : *patterns) {
    if (!item.is_string()) throw section.error(item, key, "must be a list of variable names or patterns");
    for (const Index j : matching(names, item.as_string()->get(), section, item, key))
      if (std::find(out.indices.begin(), out.indices.end(), j) == out.indices.end()) out.indices.push_back(j);
  }
  return out;
}

AnySet read_set(TomlSection& variables, const Names& names, Bounds bounds) {
  read_bounds(variables, names, bounds);
  std::vector<Product::Block> blocks;
  const auto add = [&](const std::string& key, const std::string& number_key, auto&& make) {
    if (auto group = read_group(variables, names, key, number_key)) {
      const auto size = static_cast<Index>(group->indices.size());
      blocks.push_back({group->indices, make(size, group->number)});
    }
  };
  add("simplex", "total", [](Index size, double total) { return AnySet(Simplex(size, total)); });
  add("l1_ball", "radius", [](Index size, double radius) { return AnySet(L1Ball(size, radius)); });
  add("ordered", "", [](Index size, double) { return AnySet(OrderedCone(size)); });
  variables.refuse_unknown_keys();
  if (blocks.empty()) return Box(bounds.lower, bounds.upper);

  std::vector<bool> owned(names.size(), false);
  for (const auto& block : blocks)
    for (const Index j : block.indices) {
      owned[static_cast<std::size_t>(j)] = true;
      if (is_finite(bounds.lower[j]) || is_finite(bounds.upper[j]))
        throw InputError(
            variables.file(), variables.line(),
            "variable '" + names[static_cast<std::size_t>(j)] +
                "' has bounds and is in another set; state one of the two as a row under [constraints]");
    }
  Product::Block rest{{}, WholeSpace(1)};
  for (std::size_t j = 0; j < names.size(); ++j)
    if (!owned[j]) rest.indices.push_back(static_cast<Index>(j));
  if (!rest.indices.empty()) {
    Vector lower(static_cast<Index>(rest.indices.size())), upper(lower.size());
    for (Index k = 0; k < lower.size(); ++k) {
      lower[k] = bounds.lower[rest.indices[static_cast<std::size_t>(k)]];
      upper[k] = bounds.upper[rest.indices[static_cast<std::size_t>(k)]];
    }
    rest.set = Box(lower, upper);
    blocks.push_back(std::move(rest));
  }
  const auto dimension = static_cast<Index>(names.size());
  return Product(dimension, std::move(blocks));
}

// Rows of a program whose variables are a subset of the problem's, and the bounds it states.
void add_program(Problem& problem, const io::LinearProgram& program, const std::string& where,
                 Bounds& bounds) {
  const Names& names = problem.variable_names();
  std::map<std::string, Index> position;
  for (std::size_t j = 0; j < names.size(); ++j) position[names[j]] = static_cast<Index>(j);
  std::vector<Index> column;
  for (const auto& name : program.variables) {
    const auto found = position.find(name);
    if (found == position.end())
      throw InputError(where, 0,
                       "variable '" + name + "' is not in the objective" + did_you_mean(name, names));
    column.push_back(found->second);
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < program.matrix.rows(); ++i)
    for (SparseRows::InnerIterator it(program.matrix, i); it; ++it)
      entries.emplace_back(i, column[static_cast<std::size_t>(it.col())], it.value());
  SparseRows matrix(program.matrix.rows(), problem.dimension());
  matrix.setFromTriplets(entries.begin(), entries.end());
  if (matrix.rows() > 0) problem.subject_to(matrix, program.row_lower, program.row_upper, program.rows);
  for (std::size_t k = 0; k < column.size(); ++k)
    if (program.bounded[k]) {
      const Index j = column[k], from = static_cast<Index>(k);
      bounds.lower[j] = std::max(bounds.lower[j], program.lower[from]);
      bounds.upper[j] = std::min(bounds.upper[j], program.upper[from]);
      if (bounds.lower[j] > bounds.upper[j])
        throw InputError(where, 0,
                         "variable '" + program.variables[k] + "' is left with lower bound " +
                             std::to_string(bounds.lower[j]) + " above upper bound " +
                             std::to_string(bounds.upper[j]));
    }
}

StatedProblem from_program(const std::string& path) {
  StatedObjective stated = objective_of(io::read_linear_program(path), path, 0);
  const io::LinearProgram& program = *stated.program;
  Problem problem(stated.objective);
  problem.name_variables(program.variables);
  problem.within(Box(program.lower, program.upper));
  if (program.matrix.rows() > 0)
    problem.subject_to(program.matrix, program.row_lower, program.row_upper, program.rows);
  return {std::move(problem), stated.description, stated.notes};
}

bool has_extension(std::string path, std::initializer_list<const char*> extensions) {
  std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  return std::any_of(extensions.begin(), extensions.end(), [&](const char* e) { return path.ends_with(e); });
}

}  // namespace

StatedProblem read_problem(const std::string& path) {
  if (has_extension(path, {".lp", ".mps", ".qps"})) return from_program(path);
  const toml::table root = parse_toml(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  TomlSection top(path, "the file", &root);
  const auto section = [&](const char* name) {
    const toml::node* node = top.find(name);
    if (node && !node->is_table())
      throw top.error(*node, name, std::string("must be a section [") + name + "]");
    return TomlSection(path, name, node ? node->as_table() : nullptr);
  };
  TomlSection objective = section("objective"), variables = section("variables"),
              constraints = section("constraints");
  top.refuse_unknown_keys();
  if (!objective.present()) throw InputError(path, 0, "the section [objective] is missing");

  const auto covariance = read_covariance(constraints);
  Names sensitive;
  for (const auto& [column, bound] : covariance) sensitive.push_back(column);
  StatedObjective stated = read_objective(objective, folder, sensitive);
  Problem problem(stated.objective);
  if (stated.program) problem.name_variables(stated.program->variables);

  Bounds bounds{Vector::Constant(problem.dimension(), -infinity),
                Vector::Constant(problem.dimension(), infinity)};
  if (stated.program) bounds = {stated.program->lower, stated.program->upper};
  if (const auto file = constraints.text("file")) {
    const std::string where = resolve(folder, *file);
    add_program(problem, io::read_linear_program(where), where, bounds);
  }
  if (const auto text = constraints.text("lp")) {
    const std::string where = path + ": [constraints] lp";
    add_program(problem, io::parse_lp(*text, where, io::DefaultBounds::free), where, bounds);
  }
  constraints.refuse_unknown_keys();
  for (const auto& [column, bound] : covariance) {
    if (!stated.table)
      throw InputError(path, constraints.line(), "covariance constraints need a linear model over CSV data");
    bound_covariance(problem, stated.objective.as_linear_model()->features(),
                     sensitive_attributes(*stated.table, column), bound);
  }
  problem.within(read_set(variables, problem.variable_names(), std::move(bounds)));
  return {std::move(problem), stated.description, stated.notes};
}

}  // namespace bridle
