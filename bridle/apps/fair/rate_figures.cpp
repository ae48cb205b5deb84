#include "bridle/apps/fair/rate_figures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace bridle {

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
  return people > 0 ? std::sqrt(rate() * (1 - rate()) / static_cast<double>(people)) : 0;
}

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
      if (high.rate() > 0) out.ratio = std::min(out.ratio, low.rate() / high.rate());
      if (high.rate() - low.rate() < out.gap) continue;
      out.gap = high.rate() - low.rate();
      out.standard_error = std::hypot(high.standard_error(), low.standard_error());
    }
  return out;
}

}  // namespace bridle
