#include "bridle/apps/fair/rate_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bridle/apps/fair/normal_quantile.hpp"

namespace bridle {
namespace {

constexpr double level = 0.95;

// Of a rate: Wilson's, which has a width where nobody or everybody is selected too.
struct Interval95 {
  double value, low, high;
};
Interval95 interval_of(const CellFigures& cell, double z) {
  const auto n = static_cast<double>(cell.people);
  const double rate = cell.rate(), shrink = 1 + z * z / n;
  const double centre = (rate + z * z / (2 * n)) / shrink;
  const double half = z / shrink * std::sqrt(rate * (1 - rate) / n + z * z / (4 * n * n));
  return {rate, std::clamp(centre - half, 0.0, rate), std::clamp(centre + half, rate, 1.0)};
}

// Ends of the interval of a - factor b, recovered from those of a and b (Zou and Donner 2008; Newcombe's
// hybrid score interval for factor 1).
double low_end(const Interval95& a, const Interval95& b, double factor) {
  return a.value - factor * b.value - std::hypot(a.value - a.low, factor * (b.high - b.value));
}
double high_end(const Interval95& a, const Interval95& b, double factor) {
  return a.value - factor * b.value + std::hypot(a.high - a.value, factor * (b.value - b.low));
}

// Where a falling function of [0, 1] crosses 0.
template <class Function>
double crossing(const Function& of) {
  double low = 0, high = 1;
  if (!(of(low) > 0)) return low;
  if (of(high) > 0) return high;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (of(middle) > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

bool compared(const CellFigures& a, const CellFigures& b) {
  return a.attribute == b.attribute && a.label == b.label;
}

}  // namespace

std::string RateStatement::text() const {
  const char* what = measure == Measure::demographic_parity    ? "selection rates"
                     : measure == Measure::equal_opportunity   ? "true positive rates"
                     : measure == Measure::predictive_equality ? "false positive rates"
                                                               : "true and false positive rates";
  std::string out = ratio ? fmt::format("{}: the lowest at least {:g} of the highest", what, *ratio)
                          : fmt::format("{} within {:g} of each other", what, gap);
  if (confidence > 0) out += fmt::format(", on fresh data with probability {:g}", confidence);
  return out;
}

double CellFigures::standard_error() const {
  return std::sqrt(rate() * (1 - rate()) / static_cast<double>(people));
}

std::string CellFigures::name() const { return cell_name(attribute, group, label); }

RateSpread spread_of(const Cells& cells, const FairData& data, const Vector& scores) {
  const Vector selected = cells.selected(scores);
  RateSpread out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Attribute& attribute = data.attributes[cells[c].attribute];
    out.cells.push_back({attribute.name, attribute.groups[static_cast<std::size_t>(cells[c].group)],
                         cells[c].label, cells[c].people,
                         static_cast<Index>(selected[static_cast<Index>(c)])});
  }
  for (std::size_t a = 0; a < cells.size(); ++a)
    for (std::size_t b = 0; b < cells.size(); ++b) {
      const CellFigures &high = out.cells[a], &low = out.cells[b];
      if (a == b || cells[a].attribute != cells[b].attribute || cells[a].label != cells[b].label) continue;
      if (high.people == 0 || low.people == 0 || high.rate() < low.rate()) continue;
      const double ratio = high.rate() > 0 ? low.rate() / high.rate() : 1;
      if (!(ratio >= out.ratio)) out.ratio = ratio;
      if (high.rate() - low.rate() < out.gap) continue;
      out.gap = high.rate() - low.rate();
      out.standard_error = std::hypot(high.standard_error(), low.standard_error());
    }
  return out;
}

std::string_view to_string(Finding finding) {
  static constexpr std::array<std::string_view, 4> names = {"reached", "not reached",
                                                            "not decided by this sample", "not measured"};
  return names[static_cast<std::size_t>(finding)];
}

SampleFinding finding_of(const RateStatement& request, const RateSpread& sample) {
  SampleFinding out;
  const auto& cells = sample.cells;
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < cells.size(); ++a) {
    if (cells[a].people == 0) out.missing.push_back(cells[a].name());
    for (std::size_t b = 0; b < a; ++b)
      pairs += cells[a].people > 0 && cells[b].people > 0 && compared(cells[a], cells[b]);
  }
  if (pairs == 0) return out;
  // Bonferroni: the intervals of all pairs hold at once.
  const double z = normal_quantile(1 - 0.5 * (1 - level) / static_cast<double>(pairs));
  const bool ratio = request.ratio.has_value();
  out.low = out.high = ratio ? 1 : 0;
  for (std::size_t k = 0; k < cells.size(); ++k)
    for (std::size_t l = 0; l < cells.size(); ++l) {
      if (k == l || cells[k].people == 0 || cells[l].people == 0 || !compared(cells[k], cells[l])) continue;
      const Interval95 a = interval_of(cells[k], z), b = interval_of(cells[l], z);
      if (ratio) {
        out.low = std::min(out.low, crossing([&](double factor) { return low_end(a, b, factor); }));
        out.high = std::min(out.high, crossing([&](double factor) { return high_end(a, b, factor); }));
      } else {
        out.low = std::max(out.low, low_end(a, b, 1));
        out.high = std::max(out.high, high_end(a, b, 1));
      }
    }
  const bool all_as_asked = ratio ? out.low >= *request.ratio : out.high <= request.gap;
  const bool none_as_asked = ratio ? out.high < *request.ratio : out.low > request.gap;
  out.finding = none_as_asked          ? Finding::not_reached
                : !out.missing.empty() ? Finding::not_measured
                : all_as_asked         ? Finding::reached
                                       : Finding::not_decided;
  return out;
}

}  // namespace bridle
