#include "bridle/apps/statement/balls.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bridle/apps/statement/variables_section.hpp"
#include "bridle/problem/constraints/quadratic_rows.hpp"

namespace bridle {
namespace {

std::vector<Index> variables_of(TomlSection& ball, const Names& names) {
  std::vector<Index> out;
  const Names patterns = *ball.texts("variables");
  const toml::node* node = ball.find("variables");
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    const toml::node& place = *node->as_array()->get(k);
    for (const Index j : matching(names, patterns[k], ball, place, "variables"))
      if (std::find(out.begin(), out.end(), j) == out.end()) out.push_back(j);
  }
  return out;
}

// One number for all variables, or a list with one for each.
Vector centre_of(TomlSection& ball, Index count) {
  const toml::node* node = ball.find("centre");
  if (!node) return Vector::Zero(count);
  Vector out;
  if (node->is_array()) {
    const auto list = *ball.numbers("centre");
    if (static_cast<Index>(list.size()) != count)
      throw ball.error(*node, "centre", fmt::format("has {} numbers for {} variables", list.size(), count));
    out = Eigen::Map<const Vector>(list.data(), count);
  } else {
    out = Vector::Constant(count, *ball.number("centre"));
  }
  if (!out.allFinite()) throw ball.error(*node, "centre", "must be finite");
  return out;
}

void add_ball(Problem& problem, TomlSection& ball, std::size_t number) {
  const std::string name = ball.text("name").value_or("ball" + std::to_string(number));
  const bool all = !ball.find("variables");
  std::vector<Index> indices;
  if (all)
    for (Index j = 0; j < problem.dimension(); ++j) indices.push_back(j);
  else
    indices = variables_of(ball, problem.variable_names());
  const auto count = static_cast<Index>(indices.size());
  if (count == 0) throw ball.error(*ball.find("variables"), "variables", "names no variable");
  const Vector centre = centre_of(ball, count);
  const toml::node* node = ball.find("radius");
  if (!node) throw InputError(ball.file(), ball.line(), "[[constraints.ball]] needs the key 'radius'");
  const double radius = ball.number(*node, "radius");
  if (!(radius > 0) || !is_finite(radius * radius))
    throw ball.error(*node, "radius", "must be finite and > 0");
  ball.refuse_unknown_keys();
  QuadraticRows row(problem.dimension());
  row.add_ball(indices, centre);
  try {
    problem.subject_to_smooth(std::move(row), Vector::Constant(1, -infinity),
                              Vector::Constant(1, radius * radius), {name});
  } catch (const InputError& error) {
    throw InputError(ball.file(), ball.line(), error.what());
  }
}

}  // namespace

void add_balls(Problem& problem, TomlSection& constraints) {
  const toml::node* node = constraints.find("ball");
  if (!node) return;
  const auto* list = node->as_array();
  const std::string form = "is written as tables [[constraints.ball]]";
  if (!list) throw constraints.error(*node, "ball", form);
  std::size_t number = 0;
  for (const auto& item : *list) {
    const auto* table = item.as_table();
    if (!table) throw constraints.error(item, "ball", form);
    TomlSection ball(constraints.file(), "constraints.ball", table);
    add_ball(problem, ball, ++number);
  }
}

}  // namespace bridle
