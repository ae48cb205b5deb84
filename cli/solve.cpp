#include "bridle/run/solve.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/atomic_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/file_lock.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/diagnose/gradient_check.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/json.hpp"
#include "bridle/report/loading.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/run/checkpoint.hpp"

#include "command.hpp"
#include "ranks.hpp"

namespace bridle::cli {
namespace {

struct SolveArguments {
  std::string problem, start, parameters = "auto", write_parameters, json, log;
  std::string output = "best", sampling = "reshuffled";
  double lipschitz = 0, target = 0;
  bool quiet = false, no_finish = false, no_second_order = false, check_gradient = false;
  SolveOptions options;
};

std::string algorithm_names() {
  std::string out;
  for (const auto& entry : all_algorithms()) out += fmt::format("\n  {}: {}", entry.name, entry.meaning);
  return out;
}

// A run must not be lost to a mistyped folder, nor a device replaced by a file.
void check_checkpoint_place(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw InputError(path, 0, "a checkpoint needs an ordinary file");
  refuse_what_is_no_checkpoint(path);
  const AtomicFile probe(path);
}

void finish_options(SolveArguments& a, const MpiSession& session) {
  SolveOptions& o = a.options;
  if (!find_algorithm(o.algorithm)) {
    Names known;
    for (const auto& entry : all_algorithms()) known.emplace_back(entry.name);
    throw InputError("--algorithm '" + o.algorithm + "' is unknown" + did_you_mean(o.algorithm, known));
  }
  if (a.parameters == "theory") {
    o.source = ParameterSource::theory;
  } else if (a.parameters != "auto") {
    if (!std::filesystem::exists(a.parameters))
      throw InputError("--params: there is no file '" + a.parameters + "'" +
                       did_you_mean(a.parameters, {"auto", "theory"}));
    o.source = ParameterSource::given;
    o.given = read_parameters(a.parameters);
  }
  if (a.target > 0) {
    o.grow = true;
    o.tolerance = a.target;
  }
  if (a.lipschitz > 0) o.curvature = a.lipschitz;
  o.output = a.output == "best" ? Output::best : a.output == "last" ? Output::last : Output::random;
  o.sampling = a.sampling == "reshuffled" ? Sampling::reshuffled : Sampling::independent;
  o.finish = !a.no_finish;
  o.second_order = !a.no_second_order;
  if (!find_algorithm(o.algorithm)->samples_rows)  // nobody draws rows, and y has no safeguard
    for (const auto& [said, option] :
         {std::pair{o.literal_draws, "--literal-draws"}, {o.dual_bound > 0, "--dual-bound"}})
      if (said)
        throw InputError(std::string(option) +
                         " is for the algorithms safeguarded and safeguarded-storm, not for '" + o.algorithm +
                         "'");
  if (o.post_process > 0 && o.output != Output::random)
    throw InputError("--post-process needs --output random");
  if (o.diagnose && a.log.empty()) throw InputError("--diagnose needs --log FILE.csv");
  only_a_file("--log", a.log);
  if (o.resume && o.checkpoint.empty()) throw InputError("--resume needs --checkpoint FILE");
  if (session.ranks() > 1 && o.seconds > 0)
    throw InputError("--seconds does not go with mpirun: ranks have clocks of their own");
}

constexpr double rank_patience = 60;  // seconds

// The ranks stop together, and measure together what rank 0 shows.
class RankScreen final : public Screen {
 public:
  RankScreen(Options options, Wants wants, const MpiSession& session)
      : Screen(std::move(options)), wants_(wants), session_(session) {}
  Wants wants() override { return wants_; }
  bool interrupted() override { return session_.any(Screen::interrupted()); }

 private:
  Wants wants_;
  const MpiSession& session_;
};

class SolveCommand {
 public:
  explicit SolveCommand(SolveArguments a) : a_(std::move(a)) {}

  int run() {
    const std::string& saved = a_.options.checkpoint;
    return among_ranks(session_, saved.empty() ? "" : ", --resume goes on from " + saved, [&] {
      read();
      spread();
      json_.emplace(a_.json);
      parameters_.emplace(only_a_file("--write-params", a_.write_parameters));
      return solve_and_tell();
    });
  }

 private:
  void read() {
    const auto start = std::chrono::steady_clock::now();
    session_.together([&] { finish_options(a_, session_); });
    std::FILE* const stream = session_.rank() == 0 ? screen_stream(a_.quiet, a_.json) : nullptr;
    Screen::banner(stream);
    const LoadingScreen loading(stream);
    session_.together([&] {
      if (!a_.options.checkpoint.empty() && session_.rank() == 0) {  // rank 0 writes
        check_checkpoint_place(a_.options.checkpoint);
        checkpoint_lock_.emplace(a_.options.checkpoint);
      }
      if (session_.ranks() == 1)
        stated_.emplace(read_problem(a_.problem));
      else
        stated_.emplace(read_problem_over(session_, a_.problem, session_.processes()));
    });
    session_.together([&] { start_from_solution(); });
    load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    a_.options.seconds_used = load_seconds_;
  }

  void start_from_solution() {
    if (a_.start.empty()) return;
    const Solution solution = read_solution(a_.start, stated_->problem);
    stated_->problem.start_from(solution.x);
    a_.options.start_multipliers = solution.y;
    a_.options.judge_start = true;
  }

  // A sample per rank, or --batch of them.
  void spread() {
    wants_ = !a_.log.empty() ? Observer::Wants::figures
             : a_.quiet      ? Observer::Wants::nothing
                             : Observer::Wants::progress;
    if (session_.ranks() == 1) return;
    a_.options.writes_files = session_.rank() == 0;
    a_.options.batch *= session_.ranks();
    if (session_.rank() > 0) a_.quiet = true, a_.json.clear(), a_.log.clear(), a_.write_parameters.clear();
  }

  int solve_and_tell() {
    RankScreen screen(
        {.stream = screen_stream(a_.quiet, a_.json), .log_file = a_.log, .diagnose = a_.options.diagnose},
        wants_, session_);
    Screen::catch_interrupts();
    screen.problem(stated_->problem, stated_->description, stated_->notes, load_seconds_);
    if (a_.check_gradient) {
      const GradientCheck check = check_gradient(stated_->problem, stated_->problem.starting_point());
      if (!check.good()) throw InputError("--check-gradient: " + check.text());
      screen.text("gradient    " + check.text() + "\n");
    }
    const Result result = solve(stated_->problem, a_.options, &screen);
    screen.verdict(result);
    if (session_.rank() > 0) return 0;  // the verdict is rank 0's

    if (parameters_->wanted()) parameters_->write(parameters_text(result.choice, result.reasons));
    if (json_->wanted()) json_->write(to_text(to_json(result, load_seconds_)));
    return exit_code(result.status);
  }

  SolveArguments a_;
  MpiSession session_{rank_patience};
  std::optional<StatedProblem> stated_;
  std::optional<FileLock> checkpoint_lock_;
  std::optional<Destination> json_, parameters_;
  double load_seconds_ = 0;
  Observer::Wants wants_ = Observer::Wants::nothing;  // of rank 0, known to all
};

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
  command.add_option("--batch", o.batch, "Samples per iteration")
      ->check(whole_count())
      ->type_name("B")
      ->capture_default_str();
  command.add_option("--sampling", a.sampling, "How samples are drawn: reshuffled or independent")
      ->check(CLI::IsMember({"reshuffled", "independent"}))
      ->type_name("HOW")
      ->capture_default_str();
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
                  "The iterate returned: best (certified), last, or random (the theory's)")
      ->check(CLI::IsMember({"best", "last", "random"}))
      ->type_name("WHICH")
      ->capture_default_str();
  command.add_flag("--check-gradient", a.check_gradient,
                   "Compare the gradient with differences of the values before the run");
  command.add_flag("--diagnose", a.options.diagnose,
                   "Log Psi(z), |grad Psi(z)| and the potential V too (small problems, with --log)");
  command
      .add_option("--post-process", a.options.post_process,
                  "Batch of the paper's post-processing step, with --output random")
      ->check(whole_count())
      ->type_name("B");
  command.add_flag("--no-second-order", a.no_second_order,
                   "Leave out the second-order steps that end a run where the objective offers curvature");
  command.add_flag(
      "--no-finish", a.no_finish,
      "Leave out all that comes after the loop: return the loop's best, of the points that the judge "
      "saw the one with the least error");
}

void add_files(CLI::App& command, SolveArguments& a) {
  SolveOptions& o = a.options;
  command.add_option("--json", a.json, "Write the result as JSON ('-': standard output)")->type_name("FILE");
  command.add_option("--log", a.log, "Write the progress as CSV")->type_name("FILE");
  command.add_option("--checkpoint", o.checkpoint, "Save the complete state to this file now and then")
      ->type_name("FILE");
  command.add_option("--checkpoint-seconds", o.checkpoint_seconds, "How often")
      ->check(at_least_zero())
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--resume", o.resume, "Go on from the checkpoint if there is one");
  command.add_flag("--quiet", a.quiet, "Print nothing but errors");
}

}  // namespace

Action add_solve(CLI::App& app) {
  auto a = std::make_shared<SolveArguments>();
  auto* command = app.add_subcommand("solve", "Solve a problem and certify the solution");
  command->add_option("PROBLEM", a->problem, "Problem file (.toml), or an .lp, .mps or .qps file")
      ->type_name("FILE")
      ->required();
  add_budget(*command, *a);
  add_method(*command, *a);
  add_files(*command, *a);
  return [a] { return SolveCommand(*a).run(); };
}

}  // namespace bridle::cli
