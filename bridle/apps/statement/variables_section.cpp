#include "bridle/apps/statement/variables_section.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <fnmatch.h>

#include "bridle/problem/sets/sets.hpp"

namespace bridle {
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

namespace {

struct Entry {
  std::string pattern;
  const toml::node* value;
  bool exact;  // a variable's name, not a pattern
};

// In the order in which they take effect: patterns as the file has them, then exact names.
std::vector<Entry> bound_entries(const toml::table& table, const Names& names) {
  std::vector<std::tuple<bool, std::uint32_t, std::uint32_t, Entry>> found;
  for (const auto& [key, value] : table) {
    const std::string pattern(key.str());
    const bool exact = std::find(names.begin(), names.end(), pattern) != names.end();
    const auto& place = key.source().begin;
    found.emplace_back(exact, place.line, place.column, Entry{pattern, &value, exact});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  std::vector<Entry> out;
  for (const auto& entry : found) out.push_back(std::get<3>(entry));
  return out;
}

void read_bounds(TomlSection& section, const Names& names, Bounds& bounds, const Bounds& stated) {
  const toml::node* node = section.find("bounds");
  if (!node) return;
  const auto* table = node->as_table();
  if (!table) throw section.error(*node, "bounds", "must be a table such as { \"*\" = [-10, 10] }");
  std::vector<const toml::node*> said(names.size(), nullptr);  // where the bounds of each variable stand
  for (const auto& [pattern, value, exact] : bound_entries(*table, names)) {
    const auto* pair = value->as_array();
    if (!pair || pair->size() != 2)
      throw section.error(*value, "bounds", "of '" + pattern + "' must be [lower, upper]");
    const double lower = section.number((*pair)[0], "bounds"), upper = section.number((*pair)[1], "bounds");
    if (lower > upper)
      throw section.error(*value, "bounds",
                          fmt::format("of '{}' have lower {} > upper {}", pattern, lower, upper));
    if (lower == infinity || upper == -infinity)
      throw section.error(*value, "bounds",
                          fmt::format("of '{}' leave no number: [{}, {}]", pattern, lower, upper));
    for (const Index j : matching(names, pattern, section, *value, "bounds")) {
      bounds.lower[j] = lower;
      bounds.upper[j] = upper;
      said[static_cast<std::size_t>(j)] = value;
    }
  }
  for (Index j = 0; j < bounds.lower.size(); ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (!said[k]) continue;
    const double lower = bounds.lower[j], upper = bounds.upper[j];
    bounds.lower[j] = std::max(lower, stated.lower[j]);
    bounds.upper[j] = std::min(upper, stated.upper[j]);
    if (bounds.lower[j] > bounds.upper[j])
      throw section.error(*said[k], "bounds",
                          fmt::format("of '{}' are [{}, {}], and [constraints] states [{}, {}]: no number is "
                                      "within both",
                                      names[k], lower, upper, stated.lower[j], stated.upper[j]));
  }
}

// A block of variables: a list of patterns, or { variables = [...], KEY = number }.
struct Group {
  std::vector<Index> indices;
  double number = 1;
  const toml::node* node = nullptr;
};

std::optional<Group> read_group(TomlSection& section, const Names& names, const std::string& key,
                                const std::string& number_key) {
  Group out;
  out.node = section.find(key);
  if (!out.node) return std::nullopt;
  const std::string form = "must be a list of variable names or patterns";
  const toml::array* patterns = out.node->as_array();
  if (const auto* table = out.node->as_table()) {
    TomlSection inner(section.file(), "variables." + key, table);
    const toml::node* list = inner.find("variables");
    patterns = list ? list->as_array() : nullptr;
    if (!number_key.empty()) out.number = inner.number(number_key).value_or(1);
    inner.refuse_unknown_keys();
    if (!patterns) throw section.error(*out.node, key, "needs variables = [...], names or patterns");
    if (!(out.number > 0 && is_finite(out.number)))
      throw inner.error(*table->get(number_key), number_key, "must be finite and > 0");
  }
  if (!patterns) throw section.error(*out.node, key, form);
  for (const auto& item : *patterns) {
    if (!item.is_string()) throw section.error(item, key, form);
    for (const Index j : matching(names, item.as_string()->get(), section, item, key))
      if (std::find(out.indices.begin(), out.indices.end(), j) == out.indices.end()) out.indices.push_back(j);
  }
  if (out.indices.empty()) throw section.error(*out.node, key, "names no variable");
  return out;
}

// The box of the variables that no other set has.
Product::Block rest_of(const std::vector<bool>& owned, const Bounds& bounds) {
  Product::Block rest{{}, WholeSpace(1)};
  for (std::size_t j = 0; j < owned.size(); ++j)
    if (!owned[j]) rest.indices.push_back(static_cast<Index>(j));
  Vector lower(static_cast<Index>(rest.indices.size())), upper(lower.size());
  for (Index k = 0; k < lower.size(); ++k) {
    lower[k] = bounds.lower[rest.indices[static_cast<std::size_t>(k)]];
    upper[k] = bounds.upper[rest.indices[static_cast<std::size_t>(k)]];
  }
  if (lower.size() > 0) rest.set = Box(lower, upper);
  return rest;
}

constexpr Index most_within_bounds = 500;  // variables of a set that is met together with bounds

// rows x <= limits within bounds: projected onto by the dual active set.
AnySet within_bounds(const Matrix& rows, const Vector& limits, const Bounds& bounds) {
  const Index n = rows.cols();
  Matrix all(rows.rows() + 2 * n, n);
  Vector most(all.rows());
  all << rows, Matrix::Identity(n, n), -Matrix::Identity(n, n);
  most << limits, bounds.upper, -bounds.lower;
  return Polyhedron(all, most);
}

// x_1 <= x_2 <= ... within bounds.
AnySet bounded_order(const Bounds& bounds) {
  const Index n = bounds.lower.size();
  Matrix rows = Matrix::Zero(n - 1, n);
  for (Index k = 0; k + 1 < n; ++k) rows(k, k) = 1, rows(k, k + 1) = -1;
  return within_bounds(rows, Vector::Zero(n - 1), bounds);
}

}  // namespace

AnySet read_set(TomlSection& section, const Names& names, Bounds bounds, const Bounds& stated) {
  read_bounds(section, names, bounds, stated);
  std::vector<Product::Block> blocks;
  std::vector<bool> owned(names.size(), false);
  // `implied` says which bounds the set implies anyway; `make_bounded` makes the set together with others,
  // where that can be done.
  using MakeBounded = std::function<AnySet(double number, const Bounds& bounds)>;
  const auto add = [&](const std::string& key, const std::string& number_key, auto&& implied, auto&& make,
                       const MakeBounded& make_bounded, Index most_bounded) {
    const auto group = read_group(section, names, key, number_key);
    if (!group) return;
    const auto size = static_cast<Index>(group->indices.size());
    Bounds own{Vector(size), Vector(size)};
    bool more = false;
    for (Index k = 0; k < size; ++k) {
      const Index j = group->indices[static_cast<std::size_t>(k)];
      const std::string name = "'" + names[static_cast<std::size_t>(j)] + "'";
      if (owned[static_cast<std::size_t>(j)])
        throw section.error(*group->node, key, "has " + name + ", which is in another set already");
      own.lower[k] = bounds.lower[j];
      own.upper[k] = bounds.upper[j];
      if (implied(bounds.lower[j], bounds.upper[j], group->number)) continue;
      more = true;
      if (!make_bounded || size > most_bounded)
        throw section.error(*group->node, key,
                            "has " + name + ", which has bounds; state one of the two under [constraints]");
    }
    for (const Index j : group->indices) owned[static_cast<std::size_t>(j)] = true;
    if (!more) return blocks.push_back({group->indices, make(size, group->number)});
    try {
      blocks.push_back({group->indices, make_bounded(group->number, own)});
    } catch (const InputError& empty) {
      throw section.error(*group->node, key, std::string("and the bounds leave no point: ") + empty.what());
    }
  };
  const auto unbounded = [](double lower, double upper, double) {
    return lower == -infinity && upper == infinity;
  };
  add(
      "simplex", "total",
      [](double lower, double upper, double total) { return lower <= 0 && upper >= total; },
      [](Index size, double total) { return AnySet(Simplex(size, total)); },
      [](double total, const Bounds& own) { return AnySet(BoundedSimplex(own.lower, own.upper, total)); },
      std::numeric_limits<Index>::max());
  add(
      "l1_ball", "radius",
      [](double lower, double upper, double radius) { return lower <= -radius && upper >= radius; },
      [](Index size, double radius) { return AnySet(L1Ball(size, radius)); }, nullptr, 0);
  add(
      "ordered", "", unbounded, [](Index size, double) { return AnySet(OrderedCone(size)); },
      [](double, const Bounds& own) { return bounded_order(own); }, most_within_bounds);
  section.refuse_unknown_keys();
  if (blocks.empty()) return Box(bounds.lower, bounds.upper);
  Product::Block rest = rest_of(owned, bounds);
  if (!rest.indices.empty()) blocks.push_back(std::move(rest));
  return Product(static_cast<Index>(names.size()), std::move(blocks));
}

}  // namespace bridle
