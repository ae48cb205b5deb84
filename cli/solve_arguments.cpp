#include "solve_arguments.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"
#include "bridle/report/destination.hpp"

namespace bridle::cli {
namespace {

std::string algorithm_names() {
  std::string out;
  for (const auto& entry : all_algorithms()) out += fmt::format("\n  {}: {}", entry.name, entry.meaning);
  return out;
}

// --params theory is the paper's method and nothing else.
void refuse_what_is_no_letter(const SolveArguments& a) {
  const auto refuse = [](const std::string& what) {
    throw InputError("--params theory is the paper to the letter, and " + what +
                     "; --write-params writes its parameters down for --params FILE");
  };
  if (a.sampling == "reshuffled") refuse("its samples are independent draws, not reshuffled");
  if (!a.output.empty() && a.output != "random")
    refuse("its output is the one at a random time, not the " + a.output);
  if (a.target > 0) refuse("T is fixed before the run: --target does not go with it");
  if (a.options.seconds > 0 && a.options.samples == 0 && a.options.epochs == 0)
    refuse("T is fixed before the run: a budget in --samples or --epochs is needed");
  if (find_algorithm(a.options.algorithm)->baseline)
    refuse("'" + a.options.algorithm + "' is a rival with a rule of its own");
}

// NAME=VALUE of the theorems' constants.
void read_constants(const std::vector<std::string>& texts, KnownConstants& known) {
  for (const std::string& text : texts) {
    const std::string name = text.substr(0, text.find('='));
    double value = 0;
    const bool read = text.size() > name.size() && io::parse_number(text.substr(name.size() + 1), value);
    std::optional<double>* const constant = known.find(name);
    if (!constant || !read || !(value >= 0) || !is_finite(value))
      throw InputError(fmt::format("--constants '{}' is not NAME=VALUE with a NAME of {} and a VALUE >= 0",
                                   text, fmt::join(KnownConstants::names, ", ")));
    *constant = value;
  }
}

// Where the parameters come from; the theory's are the paper to the letter.
void choose_parameters(SolveArguments& a) {
  SolveOptions& o = a.options;
  if (a.parameters == "theory") {
    refuse_what_is_no_letter(a);
    read_constants(a.constants, o.known);
    o = to_the_letter(o);
    return;
  }
  if (!a.constants.empty()) throw InputError("--constants is for --params theory");
  if (a.parameters == "auto") return;
  if (!std::filesystem::exists(a.parameters))
    throw InputError("--params: there is no file '" + a.parameters + "'" +
                     did_you_mean(a.parameters, {"auto", "theory"}));
  o.source = ParameterSource::given;
  o.given = read_parameters(a.parameters);
}

// Where nobody draws rows, y has no safeguard either.
void refuse_draws_without_rows(const SolveOptions& o) {
  if (find_algorithm(o.algorithm)->samples_rows) return;
  const std::pair<bool, std::string> options[] = {{o.literal_draws, "--literal-draws"},
                                                  {o.dual_bound > 0, "--dual-bound"}};
  for (const auto& [said, option] : options)
    if (said)
      throw InputError(option + " is for the algorithms safeguarded and safeguarded-storm, not for '" +
                       o.algorithm + "'");
}

}  // namespace

void finish_arguments(SolveArguments& a, int ranks) {
  SolveOptions& o = a.options;
  if (!find_algorithm(o.algorithm)) {
    Names known;
    for (const auto& entry : all_algorithms()) known.emplace_back(entry.name);
    throw InputError("--algorithm '" + o.algorithm + "' is unknown" + did_you_mean(o.algorithm, known));
  }
  if (a.target > 0) {
    o.grow = true;
    o.tolerance = a.target;
  }
  if (a.lipschitz > 0) o.curvature = a.lipschitz;
  if (!a.output.empty())
    o.output = a.output == "best" ? Output::best : a.output == "last" ? Output::last : Output::random;
  if (a.sampling == "independent") o.sampling = Sampling::independent;
  refuse_draws_without_rows(o);
  choose_parameters(a);
  if (o.post_process > 0 && o.output != Output::random)
    throw InputError("--post-process needs --output random");
  if (o.diagnose && a.log.empty()) throw InputError("--diagnose needs --log FILE.csv");
  only_a_file("--log", a.log);
  if (o.resume && o.checkpoint.empty()) throw InputError("--resume needs --checkpoint FILE");
  if (a.exact_batches && a.deal)
    throw InputError("--deal moves samples, which --exact-batches leaves where they are");
  if (a.split && a.exact_batches)
    throw InputError("--exact-batches splits the data by itself: --split does not go with it");
  if (a.split && o.workers < 2)
    throw InputError("--split gives each rank the samples of its workers: say --workers W, 2 or more");
  if (a.split && o.workers < ranks)
    throw InputError(fmt::format("{} ranks for {} workers", ranks, o.workers));
  if (a.exact_batches && o.workers > 1)
    throw InputError("--exact-batches is one loop over all samples: --workers does not go with it");
  if (ranks > 1 && o.seconds > 0)
    throw InputError("--seconds does not go with mpirun: ranks have clocks of their own");
}

namespace {

void add_budget(CLI::App& command, SolveArguments& a) {
  SolveOptions& o = a.options;
  auto* samples = command.add_option("--samples", o.samples, "Budget in sample gradients")
                      ->check(positive())
                      ->type_name("N");
  auto* epochs = command.add_option("--epochs", o.epochs, "Budget in passes over the data")
                     ->check(positive())
                     ->type_name("E");
  samples->excludes(epochs);
  command.add_option("--seconds", o.seconds, "Budget in wall time")->check(positive())->type_name("S");
  auto* tolerance = command
                        .add_option("--tolerance", o.tolerance,
                                    "The judge's error to reach (default 1e-6 where second-order steps end "
                                    "the run, else 1e-4)")
                        ->check(at_least_zero())
                        ->type_name("EPS");
  command
      .add_option("--target", a.target,
                  "The same, and a budget that was given grows fourfold until it is reached, as one that was "
                  "not does")
      ->check(positive())
      ->type_name("EPS")
      ->excludes(tolerance);
  command.add_flag("--absolute", o.absolute,
                   "Compare absolute figures with the tolerance, not relative ones");
}

void add_method(CLI::App& command, SolveArguments& a) {
  SolveOptions& o = a.options;
  command.add_option("--start", a.start, "Start from the x, and the y if there is one, of a result")
      ->type_name("SOLUTION.json");
  command.add_option("--seed", o.seed, "Seed of every random number")
      ->check(whole())
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--algorithm", o.algorithm, "One of:" + algorithm_names())
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--params", a.parameters, "auto, theory, or a TOML file with the parameters")
      ->type_name("auto|theory|FILE")
      ->capture_default_str();
  command.add_option("--write-params", a.write_parameters, "Write the parameters chosen, for --params")
      ->type_name("FILE");
  command.add_option("--curvature", a.lipschitz, "Lipschitz constant L_f of the gradient, if you know it")
      ->check(positive())
      ->type_name("L");
  command
      .add_option("--constants", a.constants,
                  "With --params theory: constants of the theorems that you know, of L_f, L_0, A (its norm), "
                  "sbar and rho")
      ->delimiter(',')
      ->type_name("NAME=VALUE,...");
  command
      .add_option(
          "--batch", o.batch,
          "Samples per iteration; unless told 1, or several where they share what a step costs besides them")
      ->check(positive_whole())
      ->type_name("B");
  command
      .add_option("--workers", o.workers,
                  "Workers that share the samples and average their states after rounds; threads and ranks "
                  "execute them (default: 1)")
      ->check(positive_whole())
      ->type_name("W");
  command.add_flag("--deal", a.deal,
                   "Shuffle the samples before they are shared out, for files that are sorted");
  command.add_flag("--split", a.split,
                   "With --workers, under mpirun: each rank keeps the samples of its workers and no others");
  command.add_flag("--exact-batches", a.exact_batches,
                   "Under mpirun: split the data, and one loop whose batches have a sample for each rank");
  command.add_option("--patience", a.patience, "Under mpirun: seconds after which a silent rank is given up")
      ->check(positive())
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--sampling", a.sampling, "How samples are drawn: reshuffled (default) or independent")
      ->check(CLI::IsMember({"reshuffled", "independent"}))
      ->type_name("HOW");
  command.add_flag(
      "--literal-draws", o.literal_draws,
      "Algorithms 2 and 4: the paper's three draws of the rows instead of the estimator of less variance");
  command
      .add_option("--dual-bound", o.dual_bound,
                  "Algorithms 2 and 4: M_y of the dual safeguard, in the units of the standard form")
      ->check(positive())
      ->type_name("M");
  command
      .add_option("--output", a.output,
                  "The iterate returned: best (certified, the default), last, or random (the theory's)")
      ->check(CLI::IsMember({"best", "last", "random"}))
      ->type_name("WHICH");
  command.add_flag("--check-gradient", a.check_gradient,
                   "Compare the gradient with differences of the values before the run");
  command.add_flag("--diagnose", a.options.diagnose,
                   "Log Psi(z), |grad Psi(z)| and the potential V too (small problems, with --log)");
  command
      .add_option("--post-process", a.options.post_process,
                  "Batch of the paper's post-processing step, with --output random")
      ->check(whole_count())
      ->type_name("B");
  command.add_flag("!--no-second-order", o.second_order,
                   "Leave out the second-order steps that end a run where the objective offers curvature");
  command.add_flag(
      "!--no-finish", a.options.finish,
      "Leave out all that comes after the loop: return the loop's best, of the points that the judge "
      "saw the one with the least error");
}

void add_files(CLI::App& command, SolveArguments& a) {
  SolveOptions& o = a.options;
  command.add_option("--json", a.json, "Write the result as JSON ('-': standard output)")->type_name("FILE");
  command.add_option("--log", a.log, "Write the progress as CSV")->type_name("FILE");
  auto* checkpoint =
      command.add_option("--checkpoint", o.checkpoint, "Save the complete state to this file now and then")
          ->type_name("FILE");
  command.add_option("--checkpoint-seconds", o.checkpoint_seconds, "How often")
      ->needs(checkpoint)
      ->check(at_least_zero())
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--resume", o.resume, "Go on from the checkpoint if there is one");
  command.add_flag("--quiet", a.quiet, "Print nothing but errors");
}

}  // namespace

void add_solve_options(CLI::App& command, SolveArguments& a) {
  add_budget(command, a);
  add_method(command, a);
  add_files(command, a);
}

}  // namespace bridle::cli
