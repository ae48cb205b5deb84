#include "bridle/report/fair/fair_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "bridle/report/fair/rates_text.hpp"

namespace bridle {
namespace {

constexpr double price_step = 0.001;

std::string figure(double v, const char* pattern) {
  return std::isnan(v) ? "-" : fmt::format(fmt::runtime(pattern), v);
}
std::string decimal(double v) { return figure(v, "{:.4f}"); }
std::string covariance(double v) { return figure(v, "{:.6g}"); }
std::string measured(double v) { return std::isnan(v) ? "not measured" : covariance(v); }

std::string label_of(const RowFigures& row) {
  std::string out = row.attribute;
  if (!row.group.empty()) out += " = " + row.group;
  if (row.condition != "all") out += " within " + row.condition;
  return out;
}

std::string bounds_text(const Fit& fit, const Fit& free) {
  const bool test = fit.test.has_value();
  std::string out = fmt::format("{:<32} {:>12} {:>14} {:>14}   without bounds\n",
                                "covariance of the score with", "requested", "train", test ? "test" : "");
  for (std::size_t k = 0; k < fit.rows.size(); ++k) {
    const RowFigures& row = fit.rows[k];
    out +=
        fmt::format("  {:<30} {:>12} {:>14} {:>14}   {}\n", label_of(row), covariance(row.bound),
                    covariance(row.train), test ? measured(*row.test) : "", covariance(free.rows[k].train));
  }
  return out;
}

std::string prices_text(const Fit& fit) {
  std::string out = "price\n";
  for (const auto& row : fit.rows)
    out += row.price() > 0 ? fmt::format("  loosening {} by {} would lower the loss by about {:.2g}\n",
                                         label_of(row), price_step, price_step * row.price())
                           : fmt::format("  {} costs nothing: its bound is not reached\n", label_of(row));
  return out;
}

std::string metrics_text(const Fit& fit, const Fit& free) {
  const bool test = fit.test.has_value();
  std::size_t width = 34;
  for (const auto& attribute : fit.train.attributes)
    width =
        std::max(width, attribute.attribute.size() + std::string_view(": selection ratio (p% rule)").size());
  std::string out =
      fmt::format("  {:<{}} {:>10} {:>10} {:>14} {:>10}\n", "", width, "with", "", "without bounds", "");
  out += fmt::format("  {:<{}} {:>10} {:>10} {:>14} {:>10}\n", "", width, "train", test ? "test" : "",
                     "train", test ? "test" : "");
  const auto line = [&](const std::string& name, const std::function<double(const Metrics&)>& of) {
    const auto optional = [&](const std::optional<Metrics>& m) {
      return m ? decimal(of(*m)) : std::string();
    };
    out += fmt::format("  {:<{}} {:>10} {:>10} {:>14} {:>10}\n", name, width, decimal(of(fit.train)),
                       optional(fit.test), decimal(of(free.train)), optional(free.test));
  };
  line("loss", [](const Metrics& m) { return m.loss; });
  line("accuracy", [](const Metrics& m) { return m.accuracy; });
  line("balanced accuracy", [](const Metrics& m) { return m.balanced_accuracy; });
  line("AUC", [](const Metrics& m) { return m.auc; });
  line("selection rate", [](const Metrics& m) { return m.selection_rate; });
  for (std::size_t a = 0; a < fit.train.attributes.size(); ++a) {
    const std::string& name = fit.train.attributes[a].attribute;
    line(name + ": selection ratio (p% rule)",
         [a](const Metrics& m) { return m.attributes[a].selection_ratio; });
    line(name + ": demographic parity diff.",
         [a](const Metrics& m) { return m.attributes[a].parity_difference; });
    line(name + ": equal opportunity diff.",
         [a](const Metrics& m) { return m.attributes[a].opportunity_difference; });
    line(name + ": equalised odds diff.", [a](const Metrics& m) { return m.attributes[a].odds_difference; });
  }
  return out;
}

std::string groups_text(const Fit& fit) {
  const Metrics& m = fit.test ? *fit.test : fit.train;
  std::size_t width = 28;
  for (const auto& attribute : m.attributes)
    for (const auto& g : attribute.groups)
      width =
          std::max(width, attribute.attribute.size() + g.group.size() + std::string_view("   =  ").size());
  std::string out = fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}\n",
                                fit.test ? "groups (test data)" : "groups (training data)", width, "samples",
                                "positive", "selected", "TPR", "FPR", "accuracy", "mean score");
  for (const auto& attribute : m.attributes)
    for (const auto& g : attribute.groups)
      out += fmt::format("  {:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}\n",
                         attribute.attribute + " = " + g.group, width - 2, g.samples, decimal(g.base_rate),
                         decimal(g.selection_rate), decimal(g.true_positive_rate),
                         decimal(g.false_positive_rate), decimal(g.accuracy), decimal(g.mean_score));
  return out;
}

}  // namespace

std::string fit_text(const Fit& fit, const Fit& free) {
  const std::string bounds =
      fit.rates ? rates_text(*fit.rates, free) : bounds_text(fit, free) + "\n" + prices_text(fit);
  return warnings_text(fit) + bounds + "\n" + metrics_text(fit, free) + "\n" + groups_text(fit);
}

std::string warnings_text(const Fit& fit) {
  std::string out;
  for (const auto& warning : fit.warnings) out += "WARNING: do not use this classifier: " + warning + "\n";
  return out.empty() ? out : out + "\n";
}

std::string sweep_text(const Sweep& sweep) {
  if (!sweep.runs.empty() && sweep.runs.front().fit.rates) return rate_sweep_text(sweep);
  std::string out = fmt::format("{:>10} {:>12} {:>20} {:>12} {:>18} {:>18} {:>12}\n", "bound", "covariance",
                                "objective", "accuracy", "AUC", "selection ratio", "certified");
  std::size_t count = 1;
  for (std::size_t k = 0; k < sweep.runs.size(); k += count) {
    std::size_t certified = 0;
    for (count = 0; k + count < sweep.runs.size(); ++count) {
      if (sweep.runs[k + count].bound.value != sweep.runs[k].bound.value) break;
      certified += sweep.runs[k + count].fit.result.certified();
    }
    const auto spread = [&](const std::function<double(const Metrics&)>& of, const char* pattern) {
      const Spread s = spread_over(sweep.runs, k, count,
                                   [&](const Fit& fit) { return of(fit.test ? *fit.test : fit.train); });
      return fmt::format(fmt::runtime(pattern), s.mean, s.deviation);
    };
    const Spread objective =
        spread_over(sweep.runs, k, count, [](const Fit& f) { return f.result.objective(); });
    const Spread achieved =
        spread_over(sweep.runs, k, count, [](const Fit& f) { return f.largest_covariance(); });
    out += fmt::format(
        "{:>10} {:>12.6g} {:>20} {:>12} {:>18} {:>18} {:>12}\n", sweep.runs[k].bound.text(), achieved.mean,
        fmt::format("{:.6f} +- {:.0e}", objective.mean, objective.deviation),
        spread([](const Metrics& m) { return m.accuracy; }, "{:.4f}"),
        spread([](const Metrics& m) { return m.auc; }, "{:.4f} +- {:.4f}"),
        spread([](const Metrics& m) { return m.attributes.front().selection_ratio; }, "{:.4f} +- {:.4f}"),
        fmt::format("{} of {}", certified, count));
  }
  return out;
}

}  // namespace bridle
