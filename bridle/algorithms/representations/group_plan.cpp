#include "bridle/algorithms/representations/group_plan.hpp"

#include <algorithm>
#include <tuple>

namespace bridle {
namespace {

using Flags = std::vector<bool>;

std::vector<Index> variables_of(const SparseRows& matrix, Index row) {
  std::vector<Index> out;
  for (SparseRows::InnerIterator it(matrix, row); it; ++it) out.push_back(it.col());
  return out;
}

class Planner {
 public:
  Planner(const StandardForm& form, const Split& split)
      : matrix_(form.matrix()),
        split_(split),
        bounds_(*form.variable_bounds()),
        taken_(static_cast<std::size_t>(form.variables())) {}

  std::vector<RowGroup> groups() {
    std::vector<Index> rows = separate_rows();
    std::stable_partition(rows.begin(), rows.end(), [&](Index i) {
      const auto variables = variables_of(matrix_, i);
      return std::none_of(variables.begin(), variables.end(), [&](Index j) { return is_bounded(j); });
    });
    for (std::size_t k = 0; k < rows.size(); k += half_lanes)
      add_rows(rows.data() + k, std::min<std::size_t>(half_lanes, rows.size() - k));
    add_variables_of_no_row();
    std::stable_sort(groups_.begin(), groups_.end(), [](const RowGroup& a, const RowGroup& b) {
      return std::tuple(a.bounded, a.variables.size()) < std::tuple(b.bounded, b.variables.size());
    });
    return std::move(groups_);
  }

 private:
  bool is_bounded(Index j) const { return bounds_.lower[j] != -infinity || bounds_.upper[j] != infinity; }

  // Rows that are in the block alone, shortest first, as long as they have no variable in common.
  std::vector<Index> separate_rows() {
    std::vector<std::pair<std::size_t, Index>> order;
    for (Index i = 0; i < matrix_.rows(); ++i) order.emplace_back(variables_of(matrix_, i).size(), i);
    std::sort(order.begin(), order.end());
    std::vector<Index> out;
    for (const auto& [entries, i] : order) {
      const std::vector<Index> variables = variables_of(matrix_, i);
      const bool separate = std::all_of(variables.begin(), variables.end(), [&](Index j) {
        return split_.place_of(j) >= 0 && !taken_[static_cast<std::size_t>(j)];
      });
      if (entries == 0 || !separate) continue;
      out.push_back(i);
      for (const Index j : variables) taken_[static_cast<std::size_t>(j)] = true;
    }
    return out;
  }

  void put(RowGroup& group, std::size_t entry, std::size_t lane, Index variable) {
    if (group.variables.size() <= entry) group.variables.resize(entry + 1, RowGroup::nobody);
    group.variables[entry][lane] = variable;
    group.bounded = group.bounded || is_bounded(variable);
  }

  void add_rows(const Index* rows, std::size_t count) {
    RowGroup group;
    std::size_t entries = 0;
    for (std::size_t lane = 0; lane < count; ++lane) {
      group.rows[lane] = rows[lane];
      const auto variables = variables_of(matrix_, rows[lane]);
      entries += variables.size();
      for (std::size_t e = 0; e < variables.size(); ++e) put(group, e, lane, variables[e]);
    }
    // Rows much longer than their neighbours would be mostly zeros for these: they had better be others.
    const bool wasteful = group.variables.size() > 8 && entries < 2 * group.variables.size();
    if (!wasteful) return groups_.push_back(std::move(group));
    for (const auto& four : group.variables)
      for (const Index j : four)
        if (j != RowGroup::none) taken_[static_cast<std::size_t>(j)] = false;
  }

  void add_variables_of_no_row() {
    RowGroup group;
    std::size_t count = 0;
    for (const Index j : split_.block)
      if (!taken_[static_cast<std::size_t>(j)]) {
        put(group, count / half_lanes, count % half_lanes, j);
        ++count;
      }
    if (count > 0) groups_.push_back(std::move(group));
  }

  const SparseRows& matrix_;
  const Split& split_;
  Bounds bounds_;
  Flags taken_;  // variables of grouped rows
  std::vector<RowGroup> groups_;
};

}  // namespace

std::optional<GroupPlan> GroupPlan::of(const StandardForm& form, const Split& split) {
  if (split.block.empty()) return std::nullopt;
  GroupPlan out{Planner(form, split).groups(), {}, {}, {}};
  Flags is_grouped(static_cast<std::size_t>(form.rows()));
  for (const RowGroup& group : out.groups)
    for (const Index row : group.rows)
      if (row != RowGroup::none) {
        out.grouped.push_back(row);
        is_grouped[static_cast<std::size_t>(row)] = true;
      }
  for (Index i = 0; i < form.rows(); ++i) {
    if (is_grouped[static_cast<std::size_t>(i)]) continue;
    const auto variables = variables_of(form.matrix(), i);
    if (std::any_of(variables.begin(), variables.end(), [&](Index j) { return split.place_of(j) >= 0; }))
      out.crossing.push_back(static_cast<Index>(out.others.size()));
    out.others.push_back(i);
  }
  if (out.others.size() > most_others || out.crossing.size() > most_crossing) return std::nullopt;
  return out;
}

}  // namespace bridle
