#include "bridle/apps/fair/bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/core/random.hpp"

namespace bridle {
namespace {

std::vector<std::pair<std::string, double>> figures_of(const Metrics& m) {
  std::vector<std::pair<std::string, double>> out = {{"accuracy", m.accuracy},
                                                     {"balanced accuracy", m.balanced_accuracy},
                                                     {"AUC", m.auc},
                                                     {"selection rate", m.selection_rate}};
  for (const auto& a : m.attributes) {
    out.emplace_back(a.attribute + ": selection ratio", a.selection_ratio);
    out.emplace_back(a.attribute + ": demographic parity difference", a.parity_difference);
    out.emplace_back(a.attribute + ": equal opportunity difference", a.opportunity_difference);
    out.emplace_back(a.attribute + ": equalised odds difference", a.odds_difference);
    for (const auto& g : a.groups) {
      out.emplace_back(a.attribute + " = " + g.group + ": selection rate", g.selection_rate);
      out.emplace_back(a.attribute + " = " + g.group + ": true positive rate", g.true_positive_rate);
      out.emplace_back(a.attribute + " = " + g.group + ": false positive rate", g.false_positive_rate);
    }
  }
  return out;
}

// The value that `share` of them are below, between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<Interval> bootstrap(const FairData& data, const Vector& scores, const Loss& loss, int replicates,
                                std::uint64_t seed) {
  const auto given = figures_of(measure(data, scores, loss));
  std::vector<std::vector<double>> found(given.size());
  const Stream stream(seed, Purpose::generator);
  const auto people = static_cast<std::uint64_t>(data.samples());
  FairData drawn{data.file, 0, 0, 0, DenseRows<double>(0, 0), data.labels, data.attributes, {}};
  Vector drawn_scores(scores.size());
  for (int k = 0; k < replicates; ++k) {
    for (std::uint64_t i = 0; i < people; ++i) {
      const auto from = static_cast<Index>(stream.below(people, i, static_cast<std::uint32_t>(k)));
      const auto to = static_cast<Index>(i);
      drawn.labels[to] = data.labels[from];
      drawn_scores[to] = scores[from];
      for (std::size_t a = 0; a < data.attributes.size(); ++a)
        drawn.attributes[a].codes[i] = data.attributes[a].codes[static_cast<std::size_t>(from)];
    }
    const auto figures = figures_of(measure(drawn, drawn_scores, loss));
    for (std::size_t f = 0; f < figures.size(); ++f)
      if (!std::isnan(figures[f].second)) found[f].push_back(figures[f].second);
  }
  std::vector<Interval> out;
  for (std::size_t f = 0; f < given.size(); ++f) {
    if (found[f].empty()) continue;
    std::sort(found[f].begin(), found[f].end());
    out.push_back({given[f].first, given[f].second, quantile(found[f], 0.025), quantile(found[f], 0.975)});
  }
  return out;
}

}  // namespace bridle
