#include "bridle/run/solve.hpp"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/report/json.hpp"
#include "bridle/report/output_file.hpp"
#include "bridle/report/screen.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct Arguments {
  std::string problem, parameters = "auto", json, log;
  std::string output = "best", sampling = "reshuffled";
  double lipschitz = 0;
  bool quiet = false;
  SolveOptions options;
};

std::string algorithm_names() {
  std::string out;
  for (const auto& entry : all_algorithms()) out += fmt::format("\n  {}: {}", entry.name, entry.meaning);
  return out;
}

void finish_options(Arguments& a) {
  SolveOptions& o = a.options;
  if (!find_algorithm(o.algorithm)) {
    Names known;
    for (const auto& entry : all_algorithms()) known.emplace_back(entry.name);
    throw InputError("--algorithm '" + o.algorithm + "' is unknown" + did_you_mean(o.algorithm, known));
  }
  if (a.parameters == "theory") {
    o.source = ParameterSource::theory;
  } else if (a.parameters != "auto") {
    o.source = ParameterSource::given;
    o.given = read_parameters(a.parameters);
  }
  if (a.lipschitz > 0) o.curvature = a.lipschitz;
  o.output = a.output == "best" ? Output::best : a.output == "last" ? Output::last : Output::random;
  o.sampling = a.sampling == "reshuffled" ? Sampling::reshuffled : Sampling::independent;
  if (o.resume && o.checkpoint.empty()) throw InputError("--resume needs --checkpoint FILE");
}

int run(Arguments a) {
  finish_options(a);
  const auto start = std::chrono::steady_clock::now();
  const StatedProblem stated = read_problem(a.problem);
  const double load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::unique_ptr<OutputFile> json;
  if (!a.json.empty() && a.json != "-") json = std::make_unique<OutputFile>(a.json);
  Screen screen({a.quiet ? nullptr : a.json == "-" ? stderr : stdout, a.log});
  Screen::catch_interrupts();
  screen.banner();
  screen.problem(stated.problem, stated.description, stated.notes, load_seconds);
  const Result result = solve(stated.problem, a.options, &screen);
  screen.verdict(result);

  if (!a.json.empty()) {
    const std::string text = to_json(result, load_seconds).dump(2) + "\n";
    if (json)
      json->commit(text);
    else
      fmt::print("{}", text);
  }
  return exit_code(result.status);
}

}  // namespace

Action add_solve(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  SolveOptions& o = a->options;
  auto* command = app.add_subcommand("solve", "Solve a problem and certify the solution");
  command->add_option("PROBLEM", a->problem, "Problem file (.toml), or an .lp, .mps or .qps file")
      ->required();
  auto* samples =
      command->add_option("--samples", o.samples, "Budget in sample gradients")->check(CLI::PositiveNumber);
  auto* epochs = command->add_option("--epochs", o.epochs, "Budget in passes over the data (default 30)")
                     ->check(CLI::PositiveNumber);
  samples->excludes(epochs);
  command->add_option("--seconds", o.seconds, "Budget in wall time")->check(CLI::PositiveNumber);
  command->add_option("--tolerance", o.tolerance, "The judge's error to reach")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--absolute", o.absolute,
                    "Compare absolute figures with the tolerance, not relative ones");
  command->add_option("--seed", o.seed, "Seed of every random number")->capture_default_str();
  command->add_option("--algorithm", o.algorithm, "One of:" + algorithm_names())->capture_default_str();
  command->add_option("--params", a->parameters, "auto, theory, or a TOML file with the parameters")
      ->capture_default_str();
  command->add_option("--curvature", a->lipschitz, "Lipschitz constant L_f of the gradient, if you know it")
      ->check(CLI::PositiveNumber);
  command->add_option("--batch", o.batch, "Samples per iteration")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--sampling", a->sampling, "How samples are drawn")
      ->check(CLI::IsMember({"reshuffled", "independent"}))
      ->capture_default_str();
  command
      ->add_option("--output", a->output,
                   "Iterate returned: best certified, last, or the theory's random one")
      ->check(CLI::IsMember({"best", "last", "random"}))
      ->capture_default_str();
  command->add_flag("!--no-finish", o.finish,
                    "Leave out the last touch: return what the algorithm itself found");
  command->add_option("--json", a->json, "Write the result as JSON ('-': standard output)");
  command->add_option("--log", a->log, "Write the progress as CSV");
  command->add_option("--checkpoint", o.checkpoint, "Save the complete state to this file now and then");
  command->add_option("--checkpoint-seconds", o.checkpoint_seconds, "How often")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--resume", o.resume, "Go on from the checkpoint if there is one");
  command->add_flag("--quiet", a->quiet, "Print nothing but errors");
  return [a] { return run(*a); };
}

}  // namespace bridle::cli
