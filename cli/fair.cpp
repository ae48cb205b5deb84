#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/fair/sweep.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/fair/fair_html.hpp"
#include "bridle/report/fair/fair_json.hpp"
#include "bridle/report/fair/fair_text.hpp"
#include "bridle/report/screen.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct FairArguments {
  std::string train, test, bound, sweep, loss = "logistic-difference", missing = "drop";
  std::string model, json, csv, report, log;
  Names within;
  int seeds = 1;
  unsigned threads = 0;
  bool quiet = false;
  DataStatement data;
  FairStatement statement;
  SolveOptions solve{.epochs = 30};
};

void finish_arguments(FairArguments& a) {
  const auto loss = find_loss(a.loss);
  if (!loss || !is_classification(*loss)) {
    Names known;
    for (const auto& entry : all_losses())
      if (entry.classification) known.emplace_back(entry.name);
    throw InputError("--loss '" + a.loss + "' is no classification loss" + did_you_mean(a.loss, known));
  }
  a.statement.loss = *loss;
  a.data.impute = a.missing == "impute";
  if (!a.within.empty()) a.data.conditions.clear();
  for (const auto& text : a.within) a.data.conditions.push_back(parse_condition(text));
  if (a.bound.empty() == a.sweep.empty()) throw InputError("give either --bound or --sweep");
  if (!a.sweep.empty() && !a.model.empty())
    throw InputError("--model needs --bound: a sweep has many models");
  if (!a.sweep.empty() && !a.log.empty()) throw InputError("--log needs --bound: a sweep has many runs");
  if (a.sweep.empty() && (!a.csv.empty() || a.seeds != 1)) throw InputError("--csv and --seeds need --sweep");
}

// The files a run will write, opened before it starts.
struct Outputs {
  explicit Outputs(const FairArguments& a)
      : model(only_a_file("--model", a.model)),
        json(a.json),
        csv(only_a_file("--csv", a.csv)),
        report(only_a_file("--report", a.report)) {}
  Destination model, json, csv, report;
};

std::vector<std::string> notes_on(const FairData& data) {
  std::vector<std::string> out;
  const auto note = [&](Index count, const char* what) {
    if (count > 0) out.push_back(fmt::format("{}: {} {}", data.file, count, what));
  };
  note(data.dropped_rows, "rows with missing values dropped");
  note(data.imputed, "missing values imputed");
  note(data.unseen, "values of categories that the training data has not, taken as zeros");
  return out;
}

class FairCommand {
 public:
  explicit FairCommand(const FairArguments& a)
      : a_(a), problem_(read_training(a.train, a.data), a.data, a.statement) {
    if (!a.test.empty()) test_ = read_test(a.test, a.data, problem_.training());
    load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  int run() {
    Screen::catch_interrupts();
    screen_.banner();
    return a_.sweep.empty() ? run_bound() : run_sweep();
  }

 private:
  FairSetting setting() const { return {problem_, a_.data, test(), load_seconds_}; }
  const FairData* test() const { return test_ ? &*test_ : nullptr; }

  void describe(const Problem& problem) {
    const auto& model = problem_.model();
    std::vector<std::string> notes = notes_on(problem_.training().data);
    if (test_)
      for (auto& note : notes_on(*test_)) notes.push_back(std::move(note));
    if (a_.statement.ridge == 0)
      notes.emplace_back(
          "without a ridge the problem is ill-posed: a rare column can take a huge weight that cancels the "
          "covariance, and nothing becomes fairer; --ridge 1e-4 is the default for that reason");
    screen_.problem(problem,
                    fmt::format("{} loss, ridge {}, {} samples, {} {} columns", loss_name(model.loss()),
                                a_.statement.ridge, model.sample_count(), model.dimension(),
                                model.features().sparse() ? "sparse" : "dense"),
                    notes, load_seconds_);
  }

  // True: no weights meet the constraints; the line says which.
  bool refuse_contradiction(const Problem& problem) {
    const auto found = FairProblem::contradiction(problem);
    if (!found) return false;
    fmt::print(
        stderr,
        "bridle: infeasible: no weights meet the bounds and constraints together; the nearest miss row '{}' "
        "by {:.3g}\n",
        found->row, found->violation);
    return true;
  }

  int run_bound() {
    const BoundList bounds(a_.bound, a_.data.sensitive);
    if (refuse_contradiction(problem_.without_bounds())) return exit_infeasible;
    Screen silent({.stream = nullptr});  // hears of interrupts
    const Fit free = fit(problem_, test(), {}, a_.solve, &silent);
    const Vector resolved = problem_.resolve(bounds, problem_.covariances(free.result.x));
    const Problem stated = problem_.with_bounds(resolved);
    describe(stated);
    if (refuse_contradiction(stated)) return exit_infeasible;
    const Fit fitted = fit(problem_, test(), resolved, a_.solve, &screen_);
    screen_.verdict(fitted.result);
    screen_.text("\n" + fit_text(fitted, free));
    const Json json = fit_json(setting(), fitted, free);
    outputs_.model.write(to_text(model_json(setting(), fitted)));
    write(json);
    return exit_code(fitted.result.status);
  }

  int run_sweep() {
    SweepOptions options{parse_sweep(a_.sweep), a_.seeds, a_.threads, a_.solve};
    const Problem loosest = problem_.without_bounds();
    describe(loosest);
    if (refuse_contradiction(loosest)) return exit_infeasible;
    SweepWatch watch;
    watch.progress = [this](std::size_t done, std::size_t total) { screen_.bar(done, total); };
    watch.interrupted = [this] { return screen_.interrupted(); };
    const Sweep swept = sweep(problem_, test(), options, watch);
    screen_.text("\n" + sweep_text(swept) +
                 fmt::format("\n{} runs in {:.1f} s on {} threads\n", swept.runs.size() + swept.free.size(),
                             swept.seconds, swept.threads));
    outputs_.csv.write(sweep_csv(swept));
    write(sweep_json(setting(), swept));
    if (swept.interrupted) return exit_interrupted;
    Status worst = Status::stationary;
    for (const auto& one : swept.runs) worst = worse_of(worst, one.fit.result.status);
    return exit_code(worst);
  }

  void write(const Json& json) {
    if (outputs_.json.wanted()) outputs_.json.write(to_text(json));
    if (outputs_.report.wanted()) outputs_.report.write(fair_html(json));
  }

  const FairArguments& a_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  FairProblem problem_;
  std::optional<FairData> test_;
  double load_seconds_ = 0;
  Outputs outputs_{a_};
  Screen screen_{{.stream = screen_stream(a_.quiet, a_.json), .log_file = a_.log}};
};

void add_data(CLI::App& command, FairArguments& a) {
  DataStatement& d = a.data;
  command.add_option("TRAIN", a.train, "Training data (.csv, .csv.gz)")->type_name("FILE")->required();
  command.add_option("--target", d.target, "Column to predict")->type_name("COL")->required();
  command.add_option("--positive", d.positive, "Its positive value (may be left out for 0 and 1)")
      ->type_name("VALUE");
  command.add_option("--sensitive", d.sensitive, "Sensitive columns; no features unless asked")
      ->delimiter(',')
      ->type_name("COL,...")
      ->required();
  command.add_option("--test", a.test, "Data to measure the model on")->type_name("FILE");
  command.add_option("--columns", d.csv.columns, "Names of the columns, for files without a header")
      ->delimiter(',')
      ->type_name("NAME,...");
  command.add_option("--categorical", d.csv.categorical, "Columns of numbers to read as categories")
      ->delimiter(',')
      ->type_name("COL,...");
  command.add_option("--ignore", d.csv.ignore, "Columns to leave out")->delimiter(',')->type_name("COL,...");
  command
      .add_option(
          "--missing", a.missing,
          "Rows with missing values ('?' or empty): drop them, or impute the mean or most frequent value")
      ->check(CLI::IsMember({"drop", "impute"}))
      ->type_name("drop|impute")
      ->capture_default_str();
  command.add_flag("--sensitive-features", d.sensitive_features, "Let the model see the sensitive columns");
  command.add_flag("!--no-standardise", d.standardise, "Leave numeric columns as they are");
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
  command
      .add_option(
          "--within", a.within,
          "Samples the covariance is taken over: all, positive (equal opportunity), negative, or COL=VALUE; "
          "several give a row each")
      ->delimiter(',')
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
  command.add_option("--ridge", a.statement.ridge, "Weight of |w|^2/2; the intercept goes free")
      ->check(at_least_zero())
      ->type_name("R")
      ->capture_default_str();
  command.add_option("--epochs", a.solve.epochs, "Passes over the data")
      ->check(positive())
      ->type_name("E")
      ->capture_default_str();
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
}

void add_outputs(CLI::App& command, FairArguments& a) {
  command.add_option("--model", a.model, "Write the model, for bridle predict")->type_name("FILE");
  command.add_option("--json", a.json, "Write all figures as JSON ('-': standard output)")->type_name("FILE");
  command.add_option("--csv", a.csv, "Write one line per run of the sweep")->type_name("FILE");
  command.add_option("--report", a.report, "Write a report with plots, one HTML file")->type_name("FILE");
  command.add_option("--log", a.log, "Write the progress as CSV")->type_name("FILE");
  command.add_flag("--quiet", a.quiet, "Print nothing but errors");
}

}  // namespace

Action add_fair(CLI::App& app) {
  auto a = std::make_shared<FairArguments>();
  auto* command =
      app.add_subcommand("fair", "Train a classifier whose score hardly covaries with who people are");
  add_data(*command, *a);
  add_fairness(*command, *a);
  add_training(*command, *a);
  add_outputs(*command, *a);
  return [a] {
    finish_arguments(*a);
    return FairCommand(*a).run();
  };
}

}  // namespace bridle::cli
