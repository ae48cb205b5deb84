// Bounds on rates: what was asked, what was counted, how it was found.
#include "bridle/report/fair/fair_json.hpp"

namespace bridle {
namespace {

Json to_json(const RateSpread& spread) {
  Json cells = Json::array();
  for (const auto& cell : spread.cells)
    cells.push_back({{"attribute", cell.attribute},
                     {"group", cell.group},
                     {"label", cell.label == 0  ? "all"
                               : cell.label > 0 ? "positive"
                                                : "negative"},
                     {"people", cell.people},
                     {"selected", cell.selected},
                     {"rate", number(cell.rate())},
                     {"standard_error", number(cell.standard_error())}});
  return {{"gap", number(spread.gap)},
          {"standard_error", number(spread.standard_error)},
          {"ratio", number(spread.ratio)},
          {"cells", std::move(cells)}};
}

}  // namespace

Json to_json(const RateFigures& f) {
  const RateStatement& request = f.request;
  Json tried = Json::array();
  for (const auto& one : f.tried)
    tried.push_back({{"width", one.width},
                     {"seed", one.seed},
                     {"reached", one.reached},
                     {"accuracy", number(one.accuracy)},
                     {"gap", number(one.gap)},
                     {"gap_before_walk", number(one.gap_before_walk)},
                     {"walked", one.walked},
                     {"stationary", one.stationary},
                     {"error", number(one.error)},
                     {"steps", one.steps},
                     {"hessians", one.hessians}});
  Json out = {{"measure", to_string(request.measure)},
              {"request", request.text()},
              {"reached", f.reached},
              {"asked_holds", f.asked_holds},
              {"tightest", number(f.tightest)},
              {"price", number(f.price)},
              {"train", to_json(f.train)},
              {"before_walk", to_json(f.before_walk)},
              {"smoothing_width", f.width},
              {"smoothed_problem", to_json(f.smoothed)},
              {"smoothed_problem_after_walk", to_json(f.after_walk)},
              {"drawn_in", f.drawn_in},
              {"walk", {{"directions", f.directions}, {"distance", number(f.distance)}}},
              {"people_left_out", f.left_out},
              {"empty", f.empty},
              {"tried", std::move(tried)}};
  if (request.ratio)
    out["ratio"] = *request.ratio;
  else
    out["gap"] = request.gap;
  if (request.confidence > 0) {
    out["confidence"] = request.confidence;
    out["optimism"] = number(f.optimism);
    out["bounds"] = f.bounds;
    out["too_few_people"] = f.without_room;
  }
  if (f.test) {
    const SampleFinding found = finding_of(request, *f.test);
    out["test"] = to_json(*f.test);
    out["test"]["finding"] = to_string(found.finding);
    out["test"]["interval"] = {found.low, found.high};
    out["test"]["not_measured"] = found.missing;
  }
  return out;
}

Json to_json(const Choice& choice) {
  Json tried = Json::array();
  for (const auto& one : choice.tried)
    tried.push_back({{"value", one.value},
                     {"accuracy", number(one.accuracy)},
                     {"standard_error", number(one.standard_error)},
                     {"gap", number(one.gap)}});
  return {{"chosen", choice.chosen}, {"rule", choice.rule}, {"tried", std::move(tried)}};
}

Json to_json(const CrossValidation& folds) {
  Json out = {{"folds", folds.folds},
              {"held_out", to_json(folds.held_out)},
              {"accuracies", folds.accuracies},
              {"platt", {{"slope", number(folds.platt.slope)}, {"shift", number(folds.platt.shift)}}}};
  if (folds.rates) out["rates"] = to_json(*folds.rates);
  return out;
}

Json to_json(const std::vector<Interval>& intervals, int replicates, const std::string& data) {
  Json figures = Json::object();
  for (const auto& one : intervals)
    figures[one.figure] = {
        {"value", number(one.value)}, {"low", number(one.low)}, {"high", number(one.high)}};
  return {{"replicates", replicates}, {"data", data}, {"figures", std::move(figures)}};
}

}  // namespace bridle
