#include "bridle/apps/fair/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bridle {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

// Counts over a set of samples, from which all rates follow.
struct Counts {
  double samples = 0, positives = 0, true_positives = 0, false_positives = 0, score_sum = 0;

  void add(double score, double label) {
    samples += 1;
    score_sum += score;
    positives += label > 0;
    true_positives += label > 0 && score > 0;
    false_positives += label < 0 && score > 0;
  }
  double negatives() const { return samples - positives; }
  double selected() const { return true_positives + false_positives; }
  double right() const { return true_positives + negatives() - false_positives; }
};

GroupMetrics rates(const std::string& group, const Counts& c) {
  return {group,
          static_cast<Index>(c.samples),
          ratio(c.positives, c.samples),
          ratio(c.selected(), c.samples),
          ratio(c.true_positives, c.positives),
          ratio(c.false_positives, c.negatives()),
          ratio(c.right(), c.samples),
          ratio(c.score_sum, c.samples)};
}

struct Range {
  double lowest = infinity, highest = -infinity;
  int groups = 0;  // one alone differs from nobody
  double width() const { return groups > 1 ? highest - lowest : std::numeric_limits<double>::quiet_NaN(); }
  double lowest_of_highest() const {
    return groups > 1 ? ratio(lowest, highest) : std::numeric_limits<double>::quiet_NaN();
  }
};

Range range_of(const std::vector<GroupMetrics>& groups, double GroupMetrics::*rate) {
  Range out;
  for (const auto& group : groups) {
    if (std::isnan(group.*rate)) continue;
    ++out.groups;
    out.lowest = std::min(out.lowest, group.*rate);
    out.highest = std::max(out.highest, group.*rate);
  }
  return out;
}

AttributeMetrics measure_groups(const Attribute& attribute, const Vector& scores, const Vector& labels) {
  std::vector<Counts> counts(attribute.groups.size());
  for (Index i = 0; i < scores.size(); ++i)
    counts[static_cast<std::size_t>(attribute.codes[static_cast<std::size_t>(i)])].add(scores[i], labels[i]);
  AttributeMetrics out;
  out.attribute = attribute.name;
  for (std::size_t g = 0; g < counts.size(); ++g) out.groups.push_back(rates(attribute.groups[g], counts[g]));
  const Range selection = range_of(out.groups, &GroupMetrics::selection_rate);
  out.selection_ratio = selection.lowest_of_highest();
  out.parity_difference = selection.width();
  out.opportunity_difference = range_of(out.groups, &GroupMetrics::true_positive_rate).width();
  // The larger of two figures is not known where one of them is not.
  const double negatives = range_of(out.groups, &GroupMetrics::false_positive_rate).width();
  const bool both = !std::isnan(negatives) && !std::isnan(out.opportunity_difference);
  out.odds_difference =
      both ? std::max(negatives, out.opportunity_difference) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace

double area_under_curve(const Vector& scores, const Vector& labels) {
  std::vector<std::pair<double, bool>> order;
  order.reserve(static_cast<std::size_t>(scores.size()));
  for (Index i = 0; i < scores.size(); ++i) order.emplace_back(scores[i], labels[i] > 0);
  std::sort(order.begin(), order.end());
  // Sum of the positives' ranks, where equal scores share the mean of their ranks.
  double rank_sum = 0, positives = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double tied_positives = 0;
    for (end = begin; end < order.size() && order[end].first == order[begin].first; ++end)
      tied_positives += order[end].second;
    rank_sum += tied_positives * 0.5 * static_cast<double>(begin + 1 + end);
    positives += tied_positives;
  }
  const double negatives = static_cast<double>(order.size()) - positives;
  return ratio(rank_sum - positives * (positives + 1) / 2, positives * negatives);
}

Metrics measure(const FairData& data, const Vector& scores, const Loss& loss) {
  Counts all;
  double loss_sum = 0;
  for (Index i = 0; i < scores.size(); ++i) {
    all.add(scores[i], data.labels[i]);
    loss_sum += loss_value(loss, scores[i], data.labels[i]);
  }
  const GroupMetrics total = rates("", all);
  Metrics out;
  out.samples = data.samples();
  out.loss = ratio(loss_sum, all.samples);
  out.accuracy = total.accuracy;
  out.balanced_accuracy = 0.5 * (total.true_positive_rate + 1 - total.false_positive_rate);
  out.auc = area_under_curve(scores, data.labels);
  out.selection_rate = total.selection_rate;
  for (const auto& attribute : data.attributes)
    out.attributes.push_back(measure_groups(attribute, scores, data.labels));
  return out;
}

}  // namespace bridle
