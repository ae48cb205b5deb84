#include "fair_arguments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"

namespace bridle::cli {
namespace {

constexpr const char* default_hidden = "16,8";
constexpr const char* default_measure = "demographic-parity";
constexpr const char* default_gaps = "0.005:0.2:8";

// A number or a percentage in [0, 1].
double share(const std::string& text, const std::string& option) {
  const double value = parse_bound(text, option).value;
  if (value > 1) throw InputError(option + " '" + text + "' is above 1: rates are between 0 and 1");
  return value;
}

void read_rates(FairArguments& a) {
  RateStatement rates;
  if (a.measure.empty()) a.measure = default_measure;
  const auto measure = find_measure(a.measure);
  if (!measure)
    throw InputError("--measure '" + a.measure + "' is not known" + did_you_mean(a.measure, measure_names()));
  rates.measure = *measure;
  rates.smallest_group = a.smallest_group;
  rates.confidence = a.confidence;
  rates.starts = a.starts;
  if (!a.statement.constraints_file.empty())
    throw InputError("--constraints goes with --bound, not with --gap and --ratio");
  if (a.epochs)
    throw InputError(
        "--epochs goes with --bound and --sweep: training for --gap and --ratio takes the steps it needs");
  if (!a.within.empty())
    throw InputError("--within goes with --bound; --measure says whose rates --gap is about");
  if (!a.ratio.empty()) {
    rates.ratio = share(a.ratio, "--ratio");
  } else if (a.gap.rfind("auto", 0) == 0) {
    const bool range = a.gap.rfind("auto:", 0) == 0;
    if (!range && a.gap != "auto") throw InputError("--gap '" + a.gap + "': auto, or auto:LOW:HIGH:COUNT");
    for (const Bound& bound : parse_sweep(range ? a.gap.substr(5) : default_gaps, "--gap"))
      a.gaps_to_try.push_back(bound.value);
    if (a.gaps_to_try.back() > 1)
      throw InputError("--gap '" + a.gap + "' is above 1: rates are between 0 and 1");
    rates.gap = a.gaps_to_try.front();
  } else if (a.gap.find(':') != std::string::npos) {
    for (const Bound& bound : parse_sweep(a.gap, "--gap")) a.swept.push_back({bound.value, false});
  } else {
    rates.gap = share(a.gap, "--gap");
  }
  a.rates = rates;
}

// A bound on a covariance says nothing of rates: nobody may believe that it does.
void refuse_options_of_rates(const FairArguments& a) {
  const std::pair<bool, const char*> given[] = {{!a.measure.empty(), "--measure"},
                                                {a.confidence > 0, "--confidence"},
                                                {a.smallest_group > 1, "--smallest-group"},
                                                {a.starts > 0, "--starts"}};
  for (const auto& [is_given, option] : given)
    if (is_given)
      throw InputError(std::string(option) + " goes with --gap and --ratio, not with --bound and --sweep");
}

// "16,8": units of each hidden layer.
Hidden read_hidden(const std::string& text) {
  constexpr int most_units = 512;
  constexpr std::size_t most_layers = 5;
  Hidden out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    double units = 0;
    if (!io::parse_number(part, units) || units < 1 || units > most_units || units != std::floor(units))
      throw InputError(
          fmt::format("--hidden '{}': units of a layer are whole numbers from 1 to {}", text, most_units));
    out.push_back(static_cast<Index>(units));
    from = comma + 1;
  }
  if (out.size() > most_layers)
    throw InputError(fmt::format("--hidden '{}': at most {} layers", text, most_layers));
  return out;
}

// --model names the kind of the model, the file to write it to, or is given twice for both.
void read_model(FairArguments& a) {
  std::optional<bool> network;
  for (const auto& value : a.models) {
    const bool kind = value == "linear" || value == "network";
    if (kind && network) throw InputError("--model says twice what kind of model it is");
    if (!kind && !a.model.empty())
      throw InputError("--model names two files, '" + a.model + "' and '" + value + "'");
    if (kind)
      network = value == "network";
    else
      a.model = value;
  }
  if (!a.hidden.empty() && network && !*network)
    throw InputError("--hidden is for --model network, and --model linear has no hidden layers");
  if (a.hidden.empty() && !network.value_or(false)) return;
  a.statement.hidden = read_hidden(a.hidden.empty() ? default_hidden : a.hidden);
  if (!a.statement.constraints_file.empty())
    throw InputError("--constraints is on the weights of linear models, not of networks");
}

void read_ridge(FairArguments& a) {
  a.choose_ridge = a.ridge == "auto";
  if (a.choose_ridge) return;
  if (!io::parse_number(a.ridge, a.statement.ridge) || !(a.statement.ridge >= 0) ||
      !is_finite(a.statement.ridge))
    throw InputError("--ridge '" + a.ridge + "' is neither a number >= 0 nor auto");
}

}  // namespace

void finish_arguments(FairArguments& a) {
  const auto loss = find_loss(a.loss);
  if (!loss || !is_classification(*loss)) {
    Names known;
    for (const auto& entry : all_losses())
      if (entry.classification) known.emplace_back(entry.name);
    throw InputError("--loss '" + a.loss + "' is no classification loss" + did_you_mean(a.loss, known));
  }
  a.statement.loss = *loss;
  read_model(a);
  read_ridge(a);
  if (a.epochs) a.solve.epochs = *a.epochs;
  a.data.impute = a.missing == "impute";
  if (!a.separator.empty()) a.data.csv.separator = separator_called(a.separator);
  if (!a.missing_values.empty()) a.data.csv.missing_values = a.missing_values;
  if (!a.within.empty()) a.data.conditions.clear();
  for (const auto& text : a.within) a.data.conditions.push_back(parse_condition(text));
  const int ways = !a.bound.empty() + !a.sweep.empty() + !a.gap.empty() + !a.ratio.empty();
  if (ways != 1) throw InputError("give one of --gap, --ratio, --bound and --sweep");
  if (!a.sweep.empty()) a.swept = parse_sweep(a.sweep);
  if (!a.gap.empty() || !a.ratio.empty())
    read_rates(a);
  else
    refuse_options_of_rates(a);
  if (!a.solve.finish && (a.rates || !a.statement.hidden.empty()))
    throw InputError(
        "--no-finish is for linear models with --bound or --sweep of covariances: others are trained by "
        "second-order steps, not by the loop");
  if (a.epochs && !a.statement.hidden.empty())
    throw InputError("--epochs is for linear models: training a network takes the steps it needs");
  if (a.is_sweep() && a.choose_ridge)
    throw InputError("--ridge auto needs one bound: a sweep has many models");
  if (a.is_sweep() && !a.model.empty()) throw InputError("--model needs one bound: a sweep has many models");
  if (a.is_sweep() && !a.log.empty()) throw InputError("--log needs one bound: a sweep has many runs");
  if (a.validate > 0 && !a.test.empty())
    throw InputError("--validate holds data out to test on: it goes without --test");
  if (a.is_sweep() && (a.folds > 0 || a.bootstrap > 0))
    throw InputError("--folds and --bootstrap need one bound: a sweep has many models");
  if (!a.is_sweep() && (!a.csv.empty() || a.seeds != 1 || a.threads > 0))
    throw InputError("--csv, --seeds and --threads need a sweep: --sweep, or --gap LOW:HIGH:COUNT");
}

namespace {

void add_data(CLI::App& command, FairArguments& a) {
  DataStatement& d = a.data;
  command.add_option("TRAIN", a.train, "Training data (.csv, .csv.gz)")->type_name("FILE")->required();
  command.add_option("--target", d.target, "Column to predict")->type_name("COL")->required();
  command.add_option("--positive", d.positive, "Its positive value (may be left out for 0 and 1)")
      ->type_name("VALUE");
  add_list(command, "--sensitive", d.sensitive,
           "Sensitive columns; no features unless asked. In this list as in others a name with a comma is "
           "quoted as in CSV: '\"a,b\",c'")
      ->type_name("COL,...")
      ->required();
  command.add_option("--test", a.test, "Data to measure the model on")->type_name("FILE");
  add_list(command, "--columns", d.csv.columns, "Names of the columns, for files without a header")
      ->type_name("NAME,...");
  add_list(command, "--categorical", d.csv.categorical, "Columns of numbers to read as categories")
      ->type_name("COL,...");
  add_list(command, "--ignore", d.csv.ignore, "Columns to leave out")->type_name("COL,...");
  command
      .add_option("--missing", a.missing,
                  "Rows with missing values: drop them, or impute the mean or most frequent value")
      ->check(CLI::IsMember({"drop", "impute"}))
      ->type_name("drop|impute")
      ->capture_default_str();
  add_list(command, "--missing-values", a.missing_values,
           fmt::format("What stands for a missing value, besides an empty field (default {})",
                       fmt::join(DataStatement::usual_missing_values(), ",")))
      ->type_name("TEXT,...");
  command
      .add_option("--weights", d.weights, "Column with the weights of rows in training (rates count people)")
      ->type_name("COL");
  command.add_flag("--balanced", d.balanced, "Weigh rows so that both classes count the same in training");
  add_list(command, "--keep", d.keep, "Columns to keep although nearly every row has a value of its own")
      ->type_name("COL,...");
  add_separator(command, a.separator);
  command.add_flag("--sensitive-features", d.sensitive_features, "Let the model see the sensitive columns");
  command.add_flag("!--no-standardise", d.standardise, "Leave numeric columns as they are");
}

void add_rates(CLI::App& command, FairArguments& a) {
  command
      .add_option(
          "--gap", a.gap,
          "Rates of decisions of any two groups differ by no more than this: 0.02, 2%, or LOW:HIGH:COUNT "
          "for the trade-off curve")
      ->type_name("G");
  command.add_option("--ratio", a.ratio, "The lowest rate is at least this share of the highest: 0.8")
      ->type_name("R");
  command
      .add_option(
          "--measure", a.measure,
          fmt::format("Which rates: {} (default: {})", fmt::join(measure_names(), ", "), default_measure))
      ->type_name("NAME");
  command.add_flag("--intersections", a.data.intersections,
                   "Compare the combinations of the sensitive columns too");
  command.add_option("--smallest-group", a.smallest_group, "Groups with fewer people are not compared")
      ->check(positive_whole())
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--confidence", a.confidence,
                  "Tighten the bound so that it holds on fresh data with this probability")
      ->check(CLI::Range(0.5, 0.9999))
      ->type_name("P");
  command
      .add_option(
          "--starts", a.starts,
          "Starts for bounds on rates, of which the best model is taken (default: more for small data)")
      ->check(positive_whole())
      ->type_name("K");
}

void add_fairness(CLI::App& command, FairArguments& a) {
  command
      .add_option("--bound", a.bound,
                  "Bound on |covariance(score, sensitive)|: 0.001, 10% (of the model without bounds), or "
                  "sex=0.001,race=5%")
      ->type_name("C");
  command
      .add_option("--sweep", a.sweep,
                  "The trade-off curve instead: bounds from LOW to HIGH, evenly in the logarithm")
      ->type_name("LOW:HIGH:COUNT");
  command.add_option("--seeds", a.seeds, "Runs per bound of the sweep, with seeds S, S+1, ...")
      ->check(positive_whole())
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--threads", a.threads, "Threads of the sweep (default: one per processor)")
      ->check(positive_whole())
      ->type_name("T");
  add_list(command, "--within", a.within,
           "Samples the covariance is taken over: all, positive (equal opportunity), negative, or COL=VALUE; "
           "several give a row each")
      ->type_name("WHICH,...");
  command
      .add_option("--constraints", a.statement.constraints_file,
                  "LP or MPS file with further rows and bounds on the weights, by name")
      ->type_name("FILE");
}

void add_training(CLI::App& command, FairArguments& a) {
  Names losses;
  for (const auto& entry : all_losses())
    if (entry.classification) losses.emplace_back(entry.name);
  command.add_option("--loss", a.loss, fmt::format("One of {}", fmt::join(losses, ", ")))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option(
          "--ridge", a.ridge,
          "Weight of |w|^2/2, from which the intercept goes free; auto: the largest of 1e-6 to 1e-2 whose "
          "held-out accuracy is within a standard error of the best")
      ->type_name("R|auto")
      ->capture_default_str();
  command
      .add_option("--hidden", a.hidden,
                  fmt::format("Units of the hidden layers of a network (default {})", default_hidden))
      ->type_name("UNITS,...");
  command
      .add_option("--epochs", a.epochs,
                  "Passes over the data (default: as many as the tolerance takes, up to a ceiling)")
      ->check(positive())
      ->type_name("E");
  command.add_option("--seed", a.solve.seed, "Seed of every random number")
      ->check(whole())
      ->type_name("S")
      ->capture_default_str();
  command
      .add_option("--tolerance", a.solve.tolerance,
                  "The judge's relative error to reach (default 1e-6 where second-order steps end the run, "
                  "else 1e-4)")
      ->check(at_least_zero())
      ->type_name("EPS");
  command.add_flag("!--no-second-order", a.solve.second_order,
                   "Leave out the second-order steps that end a run");
  command.add_flag(
      "!--no-finish", a.solve.finish,
      "With bounds on covariances: leave out all that comes after the loop, and return its best");
}

void add_measuring(CLI::App& command, FairArguments& a) {
  command.add_option("--validate", a.validate, "Hold this share of the training data out, and measure on it")
      ->check(CLI::Range(0.01, 0.9))
      ->type_name("SHARE");
  command
      .add_option(
          "--folds", a.folds,
          "Train as often without a part of the data, and measure on that: honest figures, and probabilities "
          "for bridle predict")
      ->check(CLI::Range(2, 100))
      ->type_name("K");
  command.add_option("--bootstrap", a.bootstrap, "95% intervals of all figures, from resampled data")
      ->check(CLI::Range(20, 100'000))
      ->type_name("TIMES");
}

void add_outputs(CLI::App& command, FairArguments& a) {
  command
      .add_option(
          "--model", a.models,
          "What to train, linear (default) or network; any other word is a file to write the model to, "
          "for bridle predict. May be given twice")
      ->allow_extra_args(false)
      ->type_name("linear|network|FILE");
  command.add_option("--json", a.json, "Write all figures as JSON ('-': standard output)")->type_name("FILE");
  command.add_option("--csv", a.csv, "Write one line per run of the sweep")->type_name("FILE");
  command.add_option("--report", a.report, "Write a report with plots, one HTML file")->type_name("FILE");
  command.add_option("--log", a.log, "Write the progress as CSV")->type_name("FILE");
  command.add_flag("--quiet", a.quiet, "Print nothing but errors");
}

}  // namespace

void add_fair_options(CLI::App& command, FairArguments& a) {
  add_data(command, a);
  add_rates(command, a);
  add_fairness(command, a);
  add_training(command, a);
  add_measuring(command, a);
  add_outputs(command, a);
}

}  // namespace bridle::cli
