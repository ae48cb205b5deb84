#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/fair/fair_html.hpp"
#include "bridle/report/fair/fair_json.hpp"
#include "bridle/report/fair/fair_text.hpp"
#include "bridle/report/loading.hpp"
#include "bridle/report/screen.hpp"

#include "fair_arguments.hpp"

namespace bridle::cli {
namespace {

constexpr int default_folds = 5;  // of choices

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
  explicit FairCommand(const FairArguments& a) : a_(a), problem_(training_data(), a.data, a.statement) {
    if (!a.test.empty()) test_ = read_test(a.test, a.data, problem_.training());
    load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  int run() {
    Screen::catch_interrupts();
    screen_.text(fmt::format("positive label: {} = {}{}\n", a_.data.target,
                             problem_.training().target.classes.front(),
                             a_.data.positive.empty() ? " (chosen: --positive names another)" : ""));
    return a_.is_sweep() ? run_sweep() : run_bound();
  }

 private:
  // With --validate a part of it becomes the test data.
  TrainingData training_data() {
    std::FILE* const stream = screen_stream(a_.quiet, a_.json);
    Screen::banner(stream);
    const LoadingScreen loading(stream);
    TrainingData all = read_training(a_.train, a_.data);
    if (a_.validate == 0) return all;
    Validation parts = validation_of(std::move(all), a_.validate, a_.solve.seed);
    test_ = std::move(parts.held_out);
    return std::move(parts.training);
  }

  FairSetting setting() const { return {problem_, a_.data, test(), load_seconds_}; }
  const FairData* test() const { return test_ ? &*test_ : nullptr; }

  void describe(const Problem& problem) {
    const auto& model = problem_.model();
    std::vector<std::string> notes = notes_on(problem_.training().data);
    if (test_)
      for (auto& note : notes_on(*test_)) notes.push_back(std::move(note));
    for (const auto& note : problem_.training().notes) notes.push_back(note);
    if (problem_.statement().ridge == 0)
      notes.emplace_back(
          "without a ridge the problem is ill-posed: a rare column can take a huge weight that cancels the "
          "covariance, and nothing becomes fairer; --ridge 1e-4 is the default for that reason");
    screen_.problem(problem,
                    fmt::format("{}{} loss, ridge {}, {} samples, {} {} columns", model_text(),
                                loss_name(model.loss()), problem_.statement().ridge, model.sample_count(),
                                model.dimension(), model.features().sparse() ? "sparse" : "dense"),
                    notes, load_seconds_);
  }

  std::string model_text() const {
    if (a_.statement.hidden.empty()) return "";
    return fmt::format("a network of {} weights with {} tanh units, ", problem_.weight_count(),
                       fmt::join(a_.statement.hidden, " and "));
  }

  // True: no weights meet the constraints; the line says which.
  bool refuse_contradiction(const Problem& problem) {
    if (problem.has_smooth_rows()) return false;  // of a network: no proof is known
    const auto found = FairProblem::contradiction(problem);
    if (!found) return false;
    fmt::print(
        stderr,
        "bridle: infeasible: no weights meet the bounds and constraints together; the nearest miss row '{}' "
        "by {:.3g}\n",
        found->row, found->violation);
    return true;
  }

  // How a model of a part of the data is trained, with the bounds that were asked for.
  Trainer trainer(const RateStatement* rates, int starts) {
    return [this, rates, starts](const FairProblem& part, const FairData* held_out) {
      Screen silent({.stream = nullptr});
      if (rates) {
        RateStatement request = *rates;
        if (starts > 0) request.starts = starts;
        return fit_to_rates(part, held_out, request, a_.solve, &silent);
      }
      const BoundList bounds(a_.bound, a_.data.sensitive);
      const Vector free = part.covariances(fit(part, nullptr, {}, a_.solve, &silent).result.x);
      return fit(part, held_out, part.resolve(bounds, free), a_.solve, &silent);
    };
  }

  // Chooses what was left to choose; a user's own bounds stay as they are.
  void choose_by_folds() {
    const int folds = a_.folds > 0 ? a_.folds : default_folds;
    if (!a_.gaps_to_try.empty()) {
      choices_.push_back(choose("gap", a_.gaps_to_try, false, [&](double value) {
        RateStatement request = *rates_;
        request.gap = value;
        return cross_validate(problem_, a_.data, problem_.statement(), folds, a_.solve.seed,
                              trainer(&request, 1), &request);
      }));
      rates_->gap = choices_.back().chosen;
      screen_.text(choice_text(choices_.back()));
    }
    if (a_.choose_ridge) {
      FairStatement statement = problem_.statement();
      const RateStatement* rates = rates_ ? &*rates_ : nullptr;
      choices_.push_back(choose("ridge", ridges_to_try(), true, [&](double value) {
        statement.ridge = value;
        return cross_validate(problem_, a_.data, statement, folds, a_.solve.seed, trainer(rates, 1), rates);
      }));
      statement.ridge = choices_.back().chosen;
      problem_ = restated(problem_, a_.data, statement);
      screen_.text(choice_text(choices_.back()));
    }
  }

  int run_bound() {
    std::optional<BoundList> bounds;
    if (!rates_) bounds.emplace(a_.bound, a_.data.sensitive);
    if (refuse_contradiction(problem_.without_bounds())) return exit_infeasible;
    choose_by_folds();
    Screen silent({.stream = nullptr});  // hears of interrupts
    const Fit free = fit(problem_, test(), {}, a_.solve, &silent);
    std::optional<Fit> trained = bounds ? fit_bounds(*bounds, free) : fit_rates();
    if (!trained) return exit_infeasible;
    const Fit& fitted = *trained;
    if (fitted.rates)
      screen_.text("\n" + rates_verdict_text(fitted) + "\n");
    else
      screen_.verdict(fitted.result);
    screen_.text("\n" + fit_text(fitted, free));
    Json json = fit_json(setting(), fitted, free), model = model_json(setting(), fitted);
    if (!choices_.empty()) json["choices"] = Json::object();
    for (const auto& choice : choices_) json["choices"][choice.of] = to_json(choice);
    if (a_.folds > 0) add_folds(fitted, json, model);
    if (a_.bootstrap > 0) add_intervals(fitted, json);
    outputs_.model.write(to_text(model));
    write(json);
    return code_of(fitted);
  }

  // Nothing: no weights meet the bounds.
  std::optional<Fit> fit_bounds(const BoundList& bounds, const Fit& free) {
    const Vector resolved = problem_.resolve(bounds, problem_.covariances(free.result.x));
    const Problem stated = problem_.with_bounds(resolved);
    describe(stated);
    if (refuse_contradiction(stated)) return {};
    return fit(problem_, test(), resolved, a_.solve, &screen_);
  }

  std::optional<Fit> fit_rates() {
    describe(problem_.without_bounds());
    screen_.text("bound: " + rates_->text() + "\n");
    return fit_to_rates(problem_, test(), *rates_, a_.solve, &screen_);
  }

  void add_folds(const Fit& fitted, Json& json, Json& model) {
    Screen silent({.stream = nullptr});
    const RateStatement* rates = rates_ ? &*rates_ : nullptr;
    Vector bounds(static_cast<Index>(fitted.rows.size()));
    for (std::size_t k = 0; k < fitted.rows.size(); ++k) bounds[static_cast<Index>(k)] = fitted.rows[k].bound;
    const Trainer train = [&](const FairProblem& part, const FairData* held_out) {
      if (rates) return fit_to_rates(part, held_out, *rates, a_.solve, &silent);
      // A part may lack a group that the whole has: then its rows are fewer.
      if (part.rows().size() != fitted.rows.size())
        throw InputError(a_.train, 0, "a fold leaves a group empty: take fewer --folds");
      return fit(part, held_out, bounds, a_.solve, &silent);
    };
    const CrossValidation folds =
        cross_validate(problem_, a_.data, problem_.statement(), a_.folds, a_.solve.seed, train, rates);
    screen_.text("\n" + folds_text(folds));
    json["folds"] = to_json(folds);
    model["platt"] = {{"slope", folds.platt.slope}, {"shift", folds.platt.shift}};
  }

  void add_intervals(const Fit& fitted, Json& json) {
    const FairData& data = test_ ? *test_ : problem_.training().data;
    const Features& features = test_ ? test_->features : problem_.model().features();
    const auto intervals = bootstrap(data, problem_.scores(features, fitted.result.x), a_.statement.loss,
                                     a_.bootstrap, a_.solve.seed);
    screen_.text("\n" + intervals_text(intervals, test_ ? "test data" : "training data", a_.bootstrap));
    json["bootstrap"] = to_json(intervals, a_.bootstrap, test_ ? "test" : "train");
  }

  // A classifier that nobody should use is no success, however stationary its weights are.
  static int code_of(const Fit& fitted) {
    const int code = exit_code(fitted.result.status);
    return code == exit_certified && !fitted.warnings.empty() ? exit_not_certified : code;
  }

  int run_sweep() {
    SweepOptions options{a_.swept, a_.rates, a_.seeds, a_.threads, a_.solve};
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
    int code = exit_certified;
    for (const auto& one : swept.runs) {
      worst = worse_of(worst, one.fit.result.status);
      code = std::max(code, code_of(one.fit));
    }
    return worst == Status::stationary ? code : exit_code(worst);
  }

  void write(const Json& json) {
    if (outputs_.json.wanted()) outputs_.json.write(to_text(json));
    if (outputs_.report.wanted()) outputs_.report.write(fair_html(json));
  }

  const FairArguments& a_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<FairData> test_;
  FairProblem problem_;
  std::optional<RateStatement> rates_ = a_.rates;  // with the gap that was chosen
  std::vector<Choice> choices_ = {};
  double load_seconds_ = 0;
  Outputs outputs_{a_};
  Screen screen_{{.stream = screen_stream(a_.quiet, a_.json),
                  .log_file = a_.log,
                  .keeps_rows = !a_.json.empty() || !a_.report.empty()}};  // the result has a history
};

}  // namespace

Action add_fair(CLI::App& app) {
  auto a = std::make_shared<FairArguments>();
  auto* command =
      app.add_subcommand("fair", "Train a classifier whose decisions are alike in all groups of people");
  add_fair_options(*command, *a);
  return [a] {
    finish_arguments(*a);
    return FairCommand(*a).run();
  };
}

}  // namespace bridle::cli
