#include "bridle/report/fair/rates_text.hpp"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "bridle/report/fair/fair_text.hpp"

namespace bridle {
namespace {

std::string counted(const CellFigures& cell) { return fmt::format("{} of {}", cell.selected, cell.people); }

std::string rate_with_error(const CellFigures& cell) {
  return cell.people > 0 ? fmt::format("{:.4f} +- {:.4f}", cell.rate(), cell.standard_error())
                         : "not measured";
}

// What the test data say of the bound that was asked for.
std::string test_text(const RateFigures& f) {
  const RateSpread& test = *f.test;
  const SampleFinding found = finding_of(f.request, test);
  std::string out = "test data: ";
  if (!test.measured()) {
    out += "not measured";
  } else {
    const std::string gap = fmt::format("{:.4f} +- {:.4f}", test.gap, test.standard_error);
    out += f.request.ratio ? fmt::format("the smallest ratio is {:.4f} (gap {})", test.ratio, gap)
                           : fmt::format("the largest gap is {} (ratio {:.4f})", gap, test.ratio);
    out +=
        fmt::format(", 95% interval {:.4f} to {:.4f}: {}", found.low, found.high, to_string(found.finding));
  }
  if (!found.missing.empty()) out += fmt::format("; nobody there is in {}", fmt::join(found.missing, "; "));
  return out + "\n";
}

}  // namespace

std::string rates_text(const RateFigures& f, const Fit&) {
  std::string out = fmt::format("asked: {}\n", f.request.text());
  const bool ratio = f.request.ratio.has_value();
  const std::string what = ratio ? "RATIO" : "GAP";
  out += f.reached       ? "reached, counted"
         : f.asked_holds ? "TIGHTENED BOUND NOT REACHED, the " + std::string(ratio ? "ratio" : "gap") +
                               " asked for holds in the training data only"
                         : what + " NOT REACHED";
  out += ratio ? fmt::format(": in the training data the smallest ratio is {:.6f} (gap {:.4f})",
                             f.train.ratio, f.train.gap)
               : fmt::format(": in the training data the largest gap is {:.6f} (ratio {:.4f})", f.train.gap,
                             f.train.ratio);
  out += "\n";
  if (f.test) out += test_text(f);
  if (f.request.confidence > 0)
    out += fmt::format(
        "for a probability of {:g} on fresh data the tightest bound was {:.4f}; {:.4f} of the margin is what "
        "models learn by heart\n",
        f.request.confidence, f.tightest, f.optimism);
  if (f.without_room > 0)
    out += fmt::format(
        "TOO FEW PEOPLE for this promise: the margin is larger than the gap for {} of {} pairs of groups; "
        "ask "
        "for a wider gap or a lower probability\n",
        f.without_room, f.bounds);
  if (f.left_out > 0)
    out += fmt::format("{} people of groups with fewer than {} are in no comparison\n", f.left_out,
                       f.request.smallest_group);
  if (!f.empty.empty())
    out += fmt::format("nobody in the training data is in {}: in no comparison\n", fmt::join(f.empty, "; "));
  out += fmt::format("\n{:<40} {:>16} {:>18} {:>16} {:>18}\n", "selected", "train", "rate",
                     f.test ? "test" : "", f.test ? "rate" : "");
  for (std::size_t c = 0; c < f.train.cells.size(); ++c)
    out +=
        fmt::format("  {:<38} {:>16} {:>18} {:>16} {:>18}\n", f.train.cells[c].name(),
                    counted(f.train.cells[c]), rate_with_error(f.train.cells[c]),
                    f.test ? counted(f.test->cells[c]) : "", f.test ? rate_with_error(f.test->cells[c]) : "");
  out += fmt::format(
      "\nprice: loosening the {} would lower the loss by about {:.2g}\n"
      "best of {} models, smoothed with width {:g}; ",
      ratio ? "bound by 0.01 of a rate" : "gap by 0.01", 0.01 * f.price, f.tried.size(), f.width);
  if (f.directions > 0)
    out += fmt::format("a closing walk took the gap from {:.4f} to {:.4f}\n", f.before_walk.gap, f.train.gap);
  else if (f.drawn_in == 0)
    out += "the counts held at its stationary point\n";
  else
    out += fmt::format("bounds drawn in {} until the counts held\n",
                       f.drawn_in == 1 ? "once" : fmt::format("{} times", f.drawn_in));
  return out;
}

std::string rates_verdict_text(const Fit& fit) {
  const RateFigures& f = *fit.rates;
  const double tolerance = fit.result.tolerance;
  std::string out = "smoothed problem: ";
  if (fit.result.status == Status::interrupted)
    out += "interrupted, ";
  else if (f.after_walk.holds(tolerance))
    out += "stationary, ";
  else if (f.directions > 0 && f.smoothed.holds(tolerance))
    out +=
        fmt::format("stationary before the closing walk (error {:.1e}), NOT after it, ", f.smoothed.error());
  else
    out += "NOT stationary, ";
  out += fmt::format("error {:.1e} at these weights, tolerance {:g}\n", f.after_walk.error(), tolerance);
  out += fmt::format("decisions: {}, counted on the training data",
                     f.reached ? "within the bound" : "the bound is NOT met");
  if (!fit.result.advice.empty()) out += "\nstopped: " + fit.result.advice;
  return out + "\n" + found_by_text(fit.result.found_by) + "\n\n" + fit.result.phases.text();
}

std::string rate_sweep_text(const Sweep& sweep) {
  const bool test = sweep.runs.front().fit.rates->test.has_value();
  std::string out = fmt::format("{:>10} {:>12} {:>18} {:>18} {:>18} {:>18} {:>12}\n", "gap", "train gap",
                                test ? "test gap" : "", test ? "test accuracy" : "accuracy", "AUC",
                                "selection ratio", "reached");
  std::size_t count = 1;
  for (std::size_t k = 0; k < sweep.runs.size(); k += count) {
    std::size_t reached = 0;
    for (count = 0; k + count < sweep.runs.size(); ++count) {
      if (sweep.runs[k + count].bound.value != sweep.runs[k].bound.value) break;
      reached += sweep.runs[k + count].fit.rates->reached;
    }
    const auto spread = [&](const std::function<double(const Fit&)>& of) {
      const Spread s = spread_over(sweep.runs, k, count, of);
      return std::isnan(s.mean) ? "not measured" : fmt::format("{:.4f} +- {:.4f}", s.mean, s.deviation);
    };
    const auto shown = [](const Fit& fit) -> const Metrics& { return fit.test ? *fit.test : fit.train; };
    out +=
        fmt::format("{:>10} {:>12.6f} {:>18} {:>18} {:>18} {:>18} {:>12}\n", sweep.runs[k].bound.text(),
                    spread_over(sweep.runs, k, count, [](const Fit& f) { return f.rates->train.gap; }).mean,
                    test ? spread([](const Fit& f) { return f.rates->test->gap; }) : "",
                    spread([&](const Fit& f) { return shown(f).accuracy; }),
                    spread([&](const Fit& f) { return shown(f).auc; }),
                    spread([&](const Fit& f) { return shown(f).attributes.front().selection_ratio; }),
                    fmt::format("{} of {}", reached, count));
  }
  return out;
}

std::string choice_text(const Choice& choice) {
  const bool gaps = !choice.tried.empty() && choice.tried.front().gap.has_value();
  std::string out =
      fmt::format("{:>10} {:>20} {:>14}\n", choice.of, "held-out accuracy", gaps ? "held-out gap" : "");
  for (const auto& one : choice.tried)
    out += fmt::format("{:>10.4g} {:>20} {:>14}{}\n", one.value,
                       fmt::format("{:.4f} +- {:.4f}", one.accuracy, one.standard_error),
                       one.gap ? fmt::format("{:.4f}", *one.gap) : "",
                       one.value == choice.chosen ? "  chosen" : "");
  return out + fmt::format("{} {:g}: {}\n\n", choice.of, choice.chosen, choice.rule);
}

std::string folds_text(const CrossValidation& f) {
  double sum = 0, squares = 0;
  for (const double a : f.accuracies) sum += a;
  const auto count = static_cast<double>(f.accuracies.size());
  for (const double a : f.accuracies) squares += (a - sum / count) * (a - sum / count);
  std::string out = fmt::format(
      "held out in {} folds: accuracy {:.4f} (+- {:.4f} over the folds), balanced {:.4f}, AUC {:.4f}\n",
      f.folds, f.held_out.accuracy, std::sqrt(squares / (count - 1)), f.held_out.balanced_accuracy,
      f.held_out.auc);
  if (f.rates)
    out += fmt::format("  gap {:.4f} +- {:.4f}, ratio {:.4f}\n", f.rates->gap, f.rates->standard_error,
                       f.rates->ratio);
  return out;
}

std::string intervals_text(const std::vector<Interval>& intervals, const std::string& data, int replicates) {
  std::string out = fmt::format("{:<52} {:>8}   95% interval, {} resamples\n", data, "figure", replicates);
  for (const auto& one : intervals)
    out += fmt::format("  {:<50} {:>8.4f}   {:.4f} to {:.4f}\n", one.figure, one.value, one.low, one.high);
  return out;
}

}  // namespace bridle
