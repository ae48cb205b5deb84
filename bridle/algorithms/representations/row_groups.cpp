#include "bridle/algorithms/representations/row_groups.hpp"

#include "bridle/algorithms/representations/arrow_metric.hpp"

namespace bridle {
namespace {

using Layout = GroupLayout;

}  // namespace

std::optional<RowGroups> RowGroups::of(const StandardForm& form, const ModeClasses& classes,
                                       const Split& split) {
  const auto plan = GroupPlan::of(form, split);
  if (!plan) return std::nullopt;
  const auto metric = ArrowMetric::of(form, plan->grouped, plan->others);
  if (!metric) return std::nullopt;
  RowGroups out;
  out.others_ = plan->others;
  out.crossing_ = plan->crossing;
  out.metric_ = metric->corner;
  out.lay_out(*plan);
  out.fill(form, classes, *plan, *metric);
  return out;
}

void RowGroups::lay_out(const GroupPlan& plan) {
  const Index crossing = Layout::padded(static_cast<Index>(crossing_.size()));
  for (auto* numbers : {&pulls_, &weights_, &products_}) numbers->resize(static_cast<std::size_t>(crossing));
  Index size = 0;
  for (const RowGroup& group : plan.groups) {
    const auto entries = static_cast<Index>(group.variables.size());
    if (runs_.empty() || runs_.back().entries != entries || runs_.back().bounded != group.bounded)
      runs_.push_back({0, entries, group.bounded, size});
    ++runs_.back().count;
    size += Layout::row_words(crossing) + entries * Layout::variable_words(crossing, group.bounded);
  }
  words_ = LaneVector(size);
}

void RowGroups::fill_row(const StandardForm& form, Index row, Index at) {
  rows_.push_back({row, at + half_lanes * Layout::y});
  words_[at + half_lanes * Layout::right] = form.right()[row];
  const auto& slack_rows = form.slack_rows();
  const auto found = std::lower_bound(slack_rows.begin(), slack_rows.end(), row);
  if (found == slack_rows.end() || *found != row) return;
  const Index slack = found - slack_rows.begin();
  slacks_.push_back({form.variables() + slack, at + half_lanes * Layout::slack});
  words_[at + half_lanes * Layout::coefficient] = form.slack_coefficient()[slack];
  words_[at + half_lanes * Layout::slack_lower] = form.project_slack(slack, -infinity);
  words_[at + half_lanes * Layout::slack_upper] = form.project_slack(slack, infinity);
}

void RowGroups::fill(const StandardForm& form, const ModeClasses& classes, const GroupPlan& plan,
                     const ArrowMetric& metric) {
  const Index crossing = static_cast<Index>(products_.size());
  const Bounds bounds = *form.variable_bounds();
  Index at = 0, grouped = 0;
  for (const RowGroup& group : plan.groups) {
    for (std::size_t lane = 0; lane < half_lanes; ++lane) {
      if (group.rows[lane] == RowGroup::none) continue;
      const Index here = at + static_cast<Index>(lane);
      fill_row(form, group.rows[lane], here);
      words_[here + half_lanes * Layout::inverse] = metric.inverse[grouped];
      for (std::size_t c = 0; c < crossing_.size(); ++c)
        words_[here + half_lanes * (Layout::arms + static_cast<Index>(c))] =
            metric.arms(crossing_[c], grouped);
      ++grouped;
    }
    at += Layout::row_words(crossing);
    for (const RowGroup::Four& variables : group.variables) {
      for (std::size_t lane = 0; lane < half_lanes; ++lane) {
        const Index j = variables[lane], here = at + static_cast<Index>(lane);
        if (j == RowGroup::none) continue;
        variables_.push_back({j, here + half_lanes * Layout::x});
        words_[here + half_lanes * Layout::ridge] = classes.ridge_of(j);
        if (group.rows[lane] != RowGroup::none)
          words_[here + half_lanes * Layout::value] = form.matrix().coeff(group.rows[lane], j);
        for (std::size_t c = 0; c < crossing_.size(); ++c)
          words_[here + half_lanes * (Layout::crossing + static_cast<Index>(c))] =
              form.matrix().coeff(others_[static_cast<std::size_t>(crossing_[c])], j);
        if (!group.bounded) continue;
        words_[here + half_lanes * (Layout::crossing + crossing)] = bounds.lower[j];
        words_[here + half_lanes * (Layout::crossing + crossing + 1)] = bounds.upper[j];
      }
      at += Layout::variable_words(crossing, group.bounded);
    }
  }
}

Split RowGroups::with_places(Split split) const {
  for (const Placed& variable : variables_)
    split.place[static_cast<std::size_t>(variable.of)] = static_cast<std::int32_t>(variable.at);
  return split;
}

void RowGroups::read_in(const Iterate& from) {
  for (const auto* numbers : {&variables_, &slacks_})
    for (const Placed& placed : *numbers) {
      words_[placed.at] = from.x[placed.of];
      words_[placed.at + half_lanes] = from.z[placed.of];
    }
  for (const Placed& row : rows_) words_[row.at] = from.y[row.of];
  // A pass of no length leaves x, z, y and slacks as they are and finds residuals and products.
  run_pass({.tau = 0, .eta = 0, .beta = 0, .mu = 0, .rho = 0});
}

void RowGroups::write_out(Iterate& to) const {
  for (const auto* numbers : {&variables_, &slacks_})
    for (const Placed& placed : *numbers) {
      to.x[placed.of] = words_[placed.at];
      to.z[placed.of] = words_[placed.at + half_lanes];
    }
  for (const Placed& row : rows_) to.y[row.of] = words_[row.at];
}

void RowGroups::run_pass(const Parameters& p) {
  move_groups({words_.data(), runs_.data(), static_cast<Index>(runs_.size()),
               static_cast<Index>(products_.size()), p.tau, p.eta, p.rho, p.mu, p.beta, pulls_.data(),
               weights_.data(), products_.data()});
}

void RowGroups::move(const Parameters& p, const double* residual, const double* weight) {
  for (std::size_t c = 0; c < crossing_.size(); ++c) {
    pulls_[c] = residual[crossing_[c]];
    weights_[c] = weight[crossing_[c]];
  }
  run_pass(p);
}

void RowGroups::add_activity(double* out) const {
  for (std::size_t c = 0; c < crossing_.size(); ++c) out[crossing_[c]] += products_[c];
}

}  // namespace bridle
