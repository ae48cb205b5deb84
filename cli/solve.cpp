#include "bridle/run/solve.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/core/atomic_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/file_lock.hpp"
#include "bridle/core/read_meter.hpp"
#include "bridle/core/reading_pace.hpp"
#include "bridle/diagnose/gradient_check.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/json.hpp"
#include "bridle/report/loading.hpp"
#include "bridle/report/rank_times.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/run/checkpoint.hpp"
#include "bridle/run/worker_count.hpp"

#include "ranks.hpp"
#include "solve_arguments.hpp"

namespace bridle::cli {
namespace {

// A run must not be lost to a mistyped folder, nor a device replaced by a file.
void check_checkpoint_place(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw InputError(path, 0, "a checkpoint needs an ordinary file");
  refuse_what_is_no_checkpoint(path);
  const AtomicFile probe(path);
}

// Where reading alone would take more than --seconds gives, it is said as soon as that is sure.
class ReadingTime {
 public:
  explicit ReadingTime(double allowed) : allowed_(allowed), pace_(allowed) {
    if (allowed > 0) read_meter().watch = [this](const std::string& file) { look(file); };
  }
  ~ReadingTime() { read_meter().watch = {}; }
  ReadingTime(const ReadingTime&) = delete;
  ReadingTime& operator=(const ReadingTime&) = delete;

 private:
  void look(const std::string& file) {
    const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const ReadMeter& meter = read_meter();
    const auto total = static_cast<double>(meter.on_disk - on_disk_),
               read = static_cast<double>(meter.on_disk_read - read_);
    if (read <= 0) return;
    pace_.look(taken, read, total);
    if (!pace_.hopeless()) return;
    const double whole = pace_.expected_seconds();
    throw InputError(
        file, 0,
        fmt::format("reading alone takes about {:.2g} s, and --seconds gives {:g}: nothing would "
                    "be left for the run; try {:.0f}",
                    whole, allowed_, std::ceil(2 * whole)));
  }

  double allowed_;
  ReadingPace pace_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::uint64_t on_disk_ = read_meter().on_disk, read_ = read_meter().on_disk_read;
};

// The ranks stop together, and measure together what rank 0 shows.
class RankScreen final : public Screen {
 public:
  // `together`: several ranks run it.
  RankScreen(Options options, Wants wants, const MpiSession& session, bool together)
      : Screen(std::move(options)), wants_(wants), session_(session), together_(together) {}
  Wants wants() override { return wants_; }
  bool interrupted() override {
    const bool mine = Screen::interrupted();
    return together_ ? session_.any(mine) : mine;
  }

 private:
  Wants wants_;
  const MpiSession& session_;
  bool together_;
};

class SolveCommand {
 public:
  explicit SolveCommand(SolveArguments a) : a_(std::move(a)), session_(a_.patience) {}

  int run() {
    const std::string& saved = a_.options.checkpoint;
    return among_ranks(session_, saved.empty() ? "" : ", --resume goes on from " + saved, [&] {
      const RankProcessors processors(session_);
      read();
      spread();
      if (!works_) {
        session_.wait_for_all();
        return 0;
      }
      if (!together_) processors.take_those_of_the_machine();
      json_.emplace(a_.json);
      parameters_.emplace(only_a_file("--write-params", a_.write_parameters));
      const int code = solve_and_tell();
      if (!together_) session_.wait_for_all();
      return code;
    });
  }

 private:
  void read() {
    const auto start = std::chrono::steady_clock::now();
    session_.together([&] { finish_arguments(a_, session_.ranks()); });
    std::FILE* const stream = session_.rank() == 0 ? screen_stream(a_.quiet, a_.json) : nullptr;
    Screen::banner(stream);
    const LoadingScreen loading(stream);
    const ReadingTime time(a_.options.seconds);
    session_.together([&] {
      if (!a_.options.checkpoint.empty() && session_.rank() == 0) {  // rank 0 writes
        check_checkpoint_place(a_.options.checkpoint);
        checkpoint_lock_.emplace(a_.options.checkpoint);
      }
      if (a_.split)
        stated_.emplace(read_problem_in_shares(session_, a_.problem,
                                               {a_.options.workers, session_.processes()},
                                               a_.deal ? std::optional(a_.options.seed) : std::nullopt));
      else if (a_.exact_batches && session_.ranks() > 1)
        stated_.emplace(read_problem_over(session_, a_.problem, session_.processes()));
      else
        stated_.emplace(read_problem(a_.problem));
    });
    session_.together([&] { start_from_solution(); });
    session_.together([&] {
      if (a_.deal && !a_.split) deal_samples();
      deal_workers();
    });
    if (a_.exact_batches && session_.ranks() == 1)
      stated_->notes.emplace_back("--exact-batches: there is one rank, and its batches are those of --batch");
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

  // The same samples in an order of the seed's.
  void deal_samples() {
    const LinearModel* model = stated_->problem.objective().as_linear_model();
    if (!model) throw InputError("--deal is for linear models, whose samples are in files");
    const auto count = static_cast<std::size_t>(model->sample_count());
    const KeyedPermutation permutation(count, a_.options.seed);
    std::vector<Index> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<Index>(permutation(i));
    stated_->problem = stated_->problem.with_objective(model->part(order));
  }

  // Which ranks work: all of them, or where there is one worker and a pass over the data takes no time the
  // first.
  void deal_workers() {
    if (session_.ranks() == 1) return;
    together_ = a_.exact_batches;
    if (!together_) {
      const Index workers =
          choose_workers(stated_->problem, a_.options, *find_algorithm(a_.options.algorithm));
      together_ = workers > 1 || passes_are_shared(stated_->problem);
      if (workers > 1 && workers < session_.ranks())
        throw InputError(fmt::format("{} ranks for {} workers", session_.ranks(), workers));
    }
    works_ = together_ || session_.rank() == 0;
  }

  void spread() {
    wants_ = !a_.log.empty() ? Observer::Wants::figures
             : a_.quiet      ? Observer::Wants::nothing
                             : Observer::Wants::progress;
    if (session_.ranks() == 1) return;
    a_.options.writes_files = session_.rank() == 0;
    if (a_.exact_batches)
      a_.options.batch =
          std::max<Index>(1, a_.options.batch) * session_.ranks();  // a sample per rank, or --batch of them
    else if (together_)
      a_.options.team = session_.processes();
    if (session_.rank() > 0) a_.quiet = true, a_.json.clear(), a_.log.clear(), a_.write_parameters.clear();
  }

  int solve_and_tell() {
    RankScreen screen(
        {.stream = screen_stream(a_.quiet, a_.json), .log_file = a_.log, .diagnose = a_.options.diagnose},
        wants_, session_, together_);
    Screen::catch_interrupts();
    screen.problem(stated_->problem, stated_->description, stated_->notes, load_seconds_);
    if (a_.check_gradient) {
      const GradientCheck check = check_gradient(stated_->problem, stated_->problem.starting_point());
      if (!check.good()) throw InputError("--check-gradient: " + check.text());
      screen.text("gradient    " + check.text() + "\n");
    }
    const double before = session_.seconds_waited();
    const auto began = std::chrono::steady_clock::now();
    const Result result = solve(stated_->problem, a_.options, &screen);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    const auto ranks =
        together_
            ? times_of_ranks({before, session_.seconds_waited() - before, taken.count(), threads_in_use()})
            : std::vector<RankTimes>();
    screen.verdict(result);
    screen.text(rank_text(ranks));
    if (session_.rank() > 0) return 0;  // the verdict is rank 0's

    if (parameters_->wanted()) parameters_->write(parameters_text(result.choice, result.reasons));
    if (json_->wanted()) {
      Json json = to_json(result, load_seconds_);
      if (!ranks.empty()) json["ranks"] = to_json(ranks);
      json_->write(to_text(json));
    }
    return exit_code(result.status);
  }

  std::vector<RankTimes> times_of_ranks(RankTimes mine) const {
    ArchiveWriter writer;
    writer(mine);
    std::vector<RankTimes> out;
    for (std::string& text : session_.all(writer.bytes())) {
      ArchiveReader reader(std::move(text));
      reader(out.emplace_back());
    }
    return out;
  }

  SolveArguments a_;
  MpiSession session_;
  bool works_ = true, together_ = false;  // this rank, and with others
  std::optional<StatedProblem> stated_;
  std::optional<FileLock> checkpoint_lock_;
  std::optional<Destination> json_, parameters_;
  double load_seconds_ = 0;
  Observer::Wants wants_ = Observer::Wants::nothing;  // of rank 0, known to all
};

}  // namespace

Action add_solve(CLI::App& app) {
  auto a = std::make_shared<SolveArguments>();
  auto* command = app.add_subcommand("solve", "Solve a problem and certify the solution");
  command->add_option("PROBLEM", a->problem, "Problem file (.toml), or an .lp, .mps or .qps file")
      ->type_name("FILE")
      ->required();
  add_solve_options(*command, *a);
  return [a] { return SolveCommand(*a).run(); };
}

}  // namespace bridle::cli
