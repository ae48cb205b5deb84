#include "bridle/report/fair/fair_json.hpp"

#include <cmath>

#include <fmt/format.h>

namespace bridle {
namespace {

// JSON has no infinities or NaN: they become null.

Json to_json(const AttributeMetrics& m) {
  Json groups = Json::array();
  for (const auto& g : m.groups)
    groups.push_back({{"group", g.group},
                      {"samples", g.samples},
                      {"base_rate", number(g.base_rate)},
                      {"selection_rate", number(g.selection_rate)},
                      {"true_positive_rate", number(g.true_positive_rate)},
                      {"false_positive_rate", number(g.false_positive_rate)},
                      {"accuracy", number(g.accuracy)},
                      {"mean_score", number(g.mean_score)}});
  return {{"attribute", m.attribute},
          {"selection_ratio", number(m.selection_ratio)},
          {"demographic_parity_difference", number(m.parity_difference)},
          {"equal_opportunity_difference", number(m.opportunity_difference)},
          {"equalised_odds_difference", number(m.odds_difference)},
          {"groups", std::move(groups)}};
}

Json metrics_json(const Fit& fit) {
  Json out = {{"train", to_json(fit.train)}};
  if (fit.test) out["test"] = to_json(*fit.test);
  return out;
}

Json history_json(const std::vector<Progress>& history) {
  Json out = Json::array();
  for (const auto& p : history)
    out.push_back(
        {{"samples", p.samples}, {"objective", number(p.objective)}, {"feasibility", number(p.feasibility)}});
  return out;
}

Json data_json(const FairData& data) {
  return {{"file", data.file},
          {"samples", data.samples()},
          {"dropped_rows", data.dropped_rows},
          {"imputed_values", data.imputed},
          {"unseen_categories", data.unseen}};
}

Json setting_json(const FairSetting& s) {
  const FairStatement& statement = s.problem.statement();
  Json out = {{"target", s.data.target},
              {"positive", s.problem.training().target.classes.front()},
              {"sensitive", s.data.sensitive},
              {"sensitive_features", s.data.sensitive_features},
              {"loss", loss_name(statement.loss)},
              {"ridge", statement.ridge},
              {"model", statement.hidden.empty() ? "linear" : "network"},
              {"hidden", statement.hidden},
              {"weights", s.problem.weight_count()},
              {"columns", s.problem.model().dimension()},
              {"train", data_json(s.problem.training().data)}};
  if (s.test) out["test"] = data_json(*s.test);
  if (!statement.constraints_file.empty()) out["constraints"] = statement.constraints_file;
  return out;
}

Json without_bounds_json(const Fit& fit) {
  return {{"status", to_string(fit.result.status)},
          {"objective", number(fit.result.objective())},
          {"error", number(fit.result.certificate.error())},
          {"seed", fit.result.seed},
          {"rows", to_json(fit.rows)},
          {"metrics", metrics_json(fit)},
          {"warnings", fit.warnings}};
}

Json weights_json(const Result& result) {
  Json out = Json::object();
  for (std::size_t j = 0; j < result.variable_names.size(); ++j)
    out[result.variable_names[j]] = number(result.x[static_cast<Index>(j)]);
  return out;
}

Json run_json(const SweepRun& run) {
  const Result& result = run.fit.result;
  Json out = {{"bound", run.bound.value},
              {"relative", run.bound.relative},
              {"seed", result.seed},
              {"status", to_string(result.status)},
              {"objective", number(result.objective())},
              {"error", number(result.certificate.error())},
              {"max_violation", number(result.certificate.feasibility.absolute)},
              {"seconds", result.solve_seconds + result.certify_seconds},
              {"found_by", to_string(result.found_by)},
              {"phases", to_json(result.phases)},
              {"rows", to_json(run.fit.rows)},
              {"metrics", metrics_json(run.fit)},
              {"warnings", run.fit.warnings},
              {"x", weights_json(result)}};
  if (run.fit.rates) out["rates"] = to_json(*run.fit.rates);
  if (!run.fit.history.empty()) out["history"] = history_json(run.fit.history);
  return out;
}

const Metrics& shown(const Fit& fit) { return fit.test ? *fit.test : fit.train; }

Json point_json(const std::vector<SweepRun>& runs, std::size_t first, std::size_t count) {
  const auto spread = [&](const std::function<double(const Fit&)>& figure) -> Json {
    const Spread s = spread_over(runs, first, count, figure);
    return {{"mean", number(s.mean)}, {"deviation", number(s.deviation)}};
  };
  Json out = {
      {"bound", runs[first].bound.value},
      {"relative", runs[first].bound.relative},
      {"seeds", count},
      {"objective", spread([](const Fit& f) { return f.result.objective(); })},
      {"loss", spread([](const Fit& f) { return f.train.loss; })},
      {"covariance", spread([](const Fit& f) { return f.largest_covariance(); })},
      {"test_covariance", spread([](const Fit& f) { return f.largest_test_covariance().value_or(NAN); })},
      {"accuracy", spread([](const Fit& f) { return shown(f).accuracy; })},
      {"balanced_accuracy", spread([](const Fit& f) { return shown(f).balanced_accuracy; })},
      {"auc", spread([](const Fit& f) { return shown(f).auc; })}};
  if (runs[first].fit.rates) {
    out["gap"] = spread([](const Fit& f) { return f.rates->train.gap; });
    out["test_gap"] = spread([](const Fit& f) { return f.rates->test ? f.rates->test->gap : NAN; });
  }
  const auto& attributes = runs[first].fit.train.attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a)
    out["attributes"][attributes[a].attribute] = {
        {"selection_ratio", spread([a](const Fit& f) { return shown(f).attributes[a].selection_ratio; })},
        {"demographic_parity_difference",
         spread([a](const Fit& f) { return shown(f).attributes[a].parity_difference; })},
        {"equalised_odds_difference",
         spread([a](const Fit& f) { return shown(f).attributes[a].odds_difference; })}};
  return out;
}

}  // namespace

Json to_json(const Metrics& m) {
  Json out = {{"samples", m.samples},           {"loss", number(m.loss)},
              {"accuracy", number(m.accuracy)}, {"balanced_accuracy", number(m.balanced_accuracy)},
              {"auc", number(m.auc)},           {"selection_rate", number(m.selection_rate)},
              {"attributes", Json::array()}};
  for (const auto& attribute : m.attributes) out["attributes"].push_back(to_json(attribute));
  return out;
}

Json to_json(const std::vector<RowFigures>& rows) {
  Json out = Json::array();
  for (const auto& r : rows)
    out.push_back({{"row", r.row},
                   {"attribute", r.attribute},
                   {"group", r.group},
                   {"within", r.condition},
                   {"bound", number(r.bound)},
                   {"train", number(r.train)},
                   {"test", number(r.test)},
                   {"multiplier", number(r.multiplier)},
                   {"price", number(r.price())}});
  return out;
}

Json fit_json(const FairSetting& setting, const Fit& fit, const Fit& free) {
  Json out = to_json(fit.result, setting.load_seconds);
  out["setting"] = setting_json(setting);
  out["rows"] = to_json(fit.rows);
  out["metrics"] = metrics_json(fit);
  out["warnings"] = fit.warnings;
  if (fit.rates) out["rates"] = to_json(*fit.rates);
  out["without_bounds"] = without_bounds_json(free);
  out["history"] = history_json(fit.history);
  return out;
}

Json sweep_json(const FairSetting& setting, const Sweep& sweep) {
  Json runs = Json::array(), free = Json::array(), curve = Json::array();
  for (std::size_t k = 0; k < sweep.runs.size(); ++k) {
    const bool first_of_bound = k == 0 || sweep.runs[k].bound.value != sweep.runs[k - 1].bound.value;
    runs.push_back(run_json(sweep.runs[k]));
    if (!first_of_bound) continue;
    std::size_t count = 1;
    while (k + count < sweep.runs.size() && sweep.runs[k + count].bound.value == sweep.runs[k].bound.value)
      ++count;
    curve.push_back(point_json(sweep.runs, k, count));
  }
  for (const auto& fit : sweep.free) free.push_back(without_bounds_json(fit));
  return {{"setting", setting_json(setting)}, {"seconds", sweep.seconds},  {"threads", sweep.threads},
          {"interrupted", sweep.interrupted}, {"curve", std::move(curve)}, {"runs", std::move(runs)},
          {"without_bounds", std::move(free)}};
}

std::string sweep_csv(const Sweep& sweep) {
  const bool rates = !sweep.runs.empty() && sweep.runs.front().fit.rates.has_value();
  std::string out = "bound,seed,status,objective,error,covariance,test_covariance";
  if (rates) out += ",reached,gap,test_gap";
  const auto header = [&](const std::string& part, const Metrics& m) {
    for (const char* name : {"loss", "accuracy", "balanced_accuracy", "auc", "selection_rate"})
      out += "," + part + "_" + name;
    for (const auto& a : m.attributes)
      for (const char* name :
           {"selection_ratio", "parity_difference", "opportunity_difference", "odds_difference"})
        out += "," + part + "_" + safe_name(a.attribute) + "_" + name;
  };
  const auto line = [&](const Metrics& m) {
    out += fmt::format(",{},{},{},{},{}", m.loss, m.accuracy, m.balanced_accuracy, m.auc, m.selection_rate);
    for (const auto& a : m.attributes)
      out += fmt::format(",{},{},{},{}", a.selection_ratio, a.parity_difference, a.opportunity_difference,
                         a.odds_difference);
  };
  if (sweep.runs.empty()) return out + "\n";
  header("train", sweep.runs.front().fit.train);
  if (sweep.runs.front().fit.test) header("test", *sweep.runs.front().fit.test);
  for (const auto& [bound, fit] : sweep.runs) {
    const auto test = fit.largest_test_covariance();
    out += fmt::format("\n{},{},{},{},{},{},{}", bound.text(), fit.result.seed, to_string(fit.result.status),
                       fit.result.objective(), fit.result.certificate.error(), fit.largest_covariance(),
                       test ? fmt::format("{}", *test) : "");
    if (rates)
      out += fmt::format(",{},{},{}", fit.rates->reached ? "yes" : "no", fit.rates->train.gap,
                         fit.rates->test ? fmt::format("{}", fit.rates->test->gap) : "");
    line(fit.train);
    if (fit.test) line(*fit.test);
  }
  return out + "\n";
}

}  // namespace bridle
