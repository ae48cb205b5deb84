#include "bridle/run/one_run.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "bridle/algorithms/post_processing.hpp"
#include "bridle/algorithms/registry.hpp"
#include "bridle/algorithms/storm.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/core/count.hpp"
#include "bridle/core/error.hpp"
#include "bridle/diagnose/face.hpp"
#include "bridle/run/checkpoint.hpp"
#include "bridle/run/judging.hpp"
#include "bridle/run/measure.hpp"
#include "bridle/run/rule.hpp"
#include "bridle/run/state.hpp"

namespace bridle {
namespace {

constexpr std::uint64_t chunks_per_stage = 40;
constexpr std::uint64_t longest_chunk = 1 << 16;  // iterations: time limits and Ctrl-C are heeded in between;
                                                  // or n, where looking at x takes longer than that
constexpr double progress_rows = 200;             // a run
constexpr double blow_up = 1e13;  // |x| in the standard form beyond which a run counts as diverged

const AlgorithmDescription& algorithm_of(const SolveOptions& options) {
  if (const auto* found = find_algorithm(options.algorithm)) return *found;
  throw InputError("there is no algorithm '" + options.algorithm + "'");
}

// The paper's loop on the user's own rows and columns.
bool is_literal(const SolveOptions& options) {
  return options.source == ParameterSource::theory ||
         (options.source == ParameterSource::given && options.given &&
          options.given->metric == MetricKind::identity);
}

// Sample gradients of one iteration.
double iteration_cost(const Problem& problem, const AlgorithmDescription& algorithm, Index batch) {
  if (algorithm.gradients_per_iteration > 0)
    return algorithm.gradients_per_iteration * static_cast<double>(batch);
  if (!problem.objective().has_exact_mean())
    throw InputError("the algorithm '" + std::string(algorithm.name) +
                     "' needs full gradients, which this stream has not");
  return static_cast<double>(std::max<Index>(1, problem.objective().sample_count()));
}

class Run {
  using Clock = std::chrono::steady_clock;

 public:
  Run(const Problem& problem, const SolveOptions& options, Observer& observer)
      : user_problem_(problem),
        centring_(is_literal(options) || options.diagnose ? std::nullopt : Centring::of(problem)),
        options_(options),
        observer_(observer),
        algorithm_(algorithm_of(options)),
        cost_(iteration_cost(problem_, algorithm_, options.batch)),
        budget_(choose_budget(problem_, options, cost_)),
        loop_budget_(budget_ - judging_.reserve()),
        rule_(make_rule(problem_, options, algorithm_, loop_budget_, cost_)),
        random_time_(static_cast<std::uint64_t>(
            1 + Stream(options.seed, Purpose::output_time).below(to_count(budget_ / cost_), 0))) {}

  Result execute() {
    begin();
    try {
      run_stages();
    } catch (const NotSettled& failure) {  // the best point so far is still worth something
      note(failure.what());
    }
    return conclude();
  }

 private:
  void run_stages() {
    bool stop = false;
    while (!stop && (state_.in_stage || open_stage())) {
      while (!stop && state_.stage_done < state_.stage.iterations) {
        advance();
        stop = look();
      }
      if (!stop) close_stage();
    }
  }

  void begin() {
    if (options_.diagnose) diagnosis_ = std::make_unique<RunDiagnosis>(problem_, options_);
    RunInfo info{budget_, std::string(algorithm_.name), rule_->name(), false};
    if (!options_.checkpoint.empty()) {
      mark_ = fingerprint(problem_, options_);
      if (options_.resume)
        if (const auto payload = read_checkpoint(options_.checkpoint, mark_)) {
          restore(*payload);
          info.resumed = true;
        }
    }
    if (!info.resumed) {
      state_.good.x = state_.good.z = problem_.starting_point();
      state_.good.multipliers = start_multipliers();
      const Vector activity = problem_.rows().matrix * state_.good.x;
      state_.good.slacks = activity.cwiseMax(problem_.rows().lower).cwiseMin(problem_.rows().upper);
      state_.good.smoothed_slacks = state_.good.slacks;
      state_.next_check = judging_.interval();
    }
    observer_.started(info);
  }

  Vector start_multipliers() const {
    const Vector& y = options_.start_multipliers;
    if (y.size() == 0) return Vector::Zero(problem_.rows().count());
    if (y.size() != problem_.rows().count())
      throw InputError(std::to_string(y.size()) + " multipliers to start from, but " +
                       std::to_string(problem_.rows().count()) + " rows");
    if (!y.allFinite()) throw InputError("a multiplier to start from is not finite");
    return y;
  }

  bool open_stage() {
    const auto plan = rule_->next(state_.good, state_.report, loop_budget_ - state_.samples);
    if (!plan) return false;
    state_.scaling = plan->scaling;
    state_.stage = plan->stage;
    state_.curvature = plan->curvature;
    state_.reasons = plan->reasons;
    state_.samples += static_cast<double>(plan->gradients);
    if (algorithm_.carries_estimate) charge_first_estimate();
    state_.stage_done = 0;
    state_.watch = {};
    for (const auto& event : plan->events) note(event);

    form_ = std::make_unique<StandardForm>(problem_, state_.scaling);
    if (state_.stage_number == 0) note_dependent_rows();
    Iterate start;
    start.x = form_->to_standard(state_.good.x, state_.good.slacks);
    start.z = form_->to_standard(state_.good.z, state_.good.smoothed_slacks);
    start.y = form_->multipliers_to_standard(state_.good.multipliers);
    start.draws = state_.iterate.draws;
    start.resets = state_.iterate.resets;
    choose_dual_bound(start.x);
    form_->project(start.x);
    state_.iterate = std::move(start);
    state_.in_stage = true;
    ++state_.stage_number;
    take_up();
    if (const auto choice = algorithm_.choose(*form_, state_.stage, state_.iterate); !choice.why.empty())
      state_.reasons.push_back({"touched", choice.touched, choice.why});
    observer_.stage(state_.stage_number, state_.stage, state_.reasons);
    return true;
  }

  // STORM's first batch comes out of the stage.
  void charge_first_estimate() {
    const auto batch = static_cast<double>(first_batch(state_.stage, options_.batch));
    const std::uint64_t steps = to_count(std::ceil(batch / cost_));
    if (state_.stage.iterations > steps) state_.stage.iterations -= steps;
    state_.samples += batch;
  }

  void note_dependent_rows() {
    const auto& rows = form_->dependent_rows();
    if (rows.empty()) return;
    std::string names;
    for (std::size_t k = 0; k < std::min<std::size_t>(rows.size(), 3); ++k)
      names += (k ? ", " : "") + problem_.rows().names[static_cast<std::size_t>(rows[k])];
    note(std::to_string(rows.size()) + (rows.size() == 1 ? " row follows" : " rows follow") +
         " from the other rows, left out of the loop: " + names + (rows.size() > 3 ? ", ..." : ""));
  }

  // M_y: the user's, the paper's where its constants are known, or a bound that multipliers of a sound run
  // stay far below.
  void choose_dual_bound(const Vector& v) {
    state_.dual_bound = options_.dual_bound;
    if (state_.dual_bound > 0 || !algorithm_.samples_rows) return;
    if (options_.safeguard) {
      state_.dual_bound =
          theory_dual_bound(*options_.safeguard, state_.stage.parameters.mu, state_.stage.parameters.rho);
      state_.reasons.push_back({"M_y", state_.dual_bound, "the paper's formula, (M_V - M_Psi + 2 M)/r"});
      return;
    }
    Vector gradient(form_->dimension()), point(form_->variables());
    form_->gradient(v, 0, gradient, point);
    state_.dual_bound = 1000 * (gradient.norm() + state_.curvature * (1 + v.norm()));
    state_.reasons.push_back(
        {"M_y", state_.dual_bound, "1000 (|gradient| + L (1 + |x|)): far above sound multipliers"});
  }

  // The method from the saved iterate.
  void take_up() {
    method_ = algorithm_.create(*form_, state_.stage, state_.iterate,
                                {.sampling = options_.sampling,
                                 .batch = options_.batch,
                                 .seed = options_.seed,
                                 .dual_bound = state_.dual_bound,
                                 .literal_draws = options_.literal_draws});
  }

  // Runs to the next chunk boundary, which depends on nothing but the stage.
  void advance() {
    const std::uint64_t longest = std::max(longest_chunk, static_cast<std::uint64_t>(problem_.dimension()));
    const std::uint64_t total = state_.stage.iterations, chunks = std::min(total, chunks_per_stage);
    std::uint64_t chunk = state_.stage_done * chunks / total;
    while (total * (chunk + 1) / chunks <= state_.stage_done) ++chunk;
    const std::uint64_t begin = total * chunk / chunks, in_chunk = state_.stage_done - begin;
    std::uint64_t count =
        std::min(total * (chunk + 1) / chunks - state_.stage_done, longest - in_chunk % longest);
    if (state_.iterations < random_time_)
      count = std::min<std::uint64_t>(count, random_time_ - state_.iterations);
    method_->run(state_.stage, state_.stage_done, count);
    method_->settle(state_.iterate);
    state_.stage_done += count;
    state_.iterations += count;
    state_.samples += static_cast<double>(count) * cost_;
  }

  // After each chunk: keep watch, report, ask the judge now and then. True: the run is over.
  bool look() {
    const Iterate& now = state_.iterate;
    if (!now.finite() || now.x.norm() > blow_up) {
      state_.report = StageReport{.diverged = true};
      state_.stage_done = state_.stage.iterations;
      return false;
    }
    keep_watch();
    if (state_.iterations == random_time_) keep_random_output();
    if (state_.samples >= state_.next_check) {
      const bool enough = judging_.show({form_->to_original(now.x), form_->multipliers_to_original(now.y)});
      state_.next_check = state_.samples + std::max(judging_.interval(), 0.2 * state_.samples);
      if (enough && options_.output == Output::best) return true;
    }
    report_progress();
    interrupted_ = observer_.interrupted();
    const bool stop = interrupted_ || out_of_time();
    if (stop || seconds_since(saved_) >= options_.checkpoint_seconds) save();
    return stop;
  }

  // The theory's output at t*, post-processed with a batch if wished.
  void keep_random_output() {
    state_.at_random_time = in_original_units();
    if (options_.post_process == 0) return;
    const Parameters p = state_.stage.at(std::min(state_.stage_done, state_.stage.iterations - 1));
    const double smooth = state_.curvature + p.rho * form_->metric().norm_squared() + p.mu;  // L_K
    const PostProcessed point =
        post_process(*form_, state_.iterate, p, 1 / smooth, options_.post_process, options_.seed);
    state_.at_random_time->x = form_->to_original(point.x);
    state_.at_random_time->multipliers = form_->multipliers_to_original(point.y);
    state_.samples += static_cast<double>(options_.post_process);
  }

  void keep_watch() {
    Vector residual(form_->rows()), scratch(form_->rows()), image(form_->rows());
    form_->residual(state_.iterate.x, residual);
    image = residual;
    form_->metric().apply(image, scratch);
    StageWatch& watch = state_.watch;
    if (4 * state_.stage_done >= 3 * state_.stage.iterations) {
      watch.residual_squares += residual.dot(image);
      watch.residual_count += 1;
    }
    if (2 * state_.stage_done >= state_.stage.iterations) {
      if (watch.first_z.size() == 0) watch.first_z = watch.last_z = state_.iterate.z;
      watch.path += (state_.iterate.z - watch.last_z).norm();
      watch.last_z = state_.iterate.z;
    }
  }

  OriginalState in_original_units() const {
    const Iterate& now = state_.iterate;
    return {form_->to_original(now.x), form_->to_original(now.z), form_->multipliers_to_original(now.y),
            form_->slacks_to_original(now.x), form_->slacks_to_original(now.z)};
  }

  void close_stage() {
    state_.in_stage = false;
    if (state_.report && state_.report->diverged && !state_.iterate.finite()) return;
    if (state_.iterate.x.norm() > blow_up) return;
    const StageWatch& watch = state_.watch;
    StageReport report;
    report.residual = std::sqrt(watch.residual_squares / std::max(1.0, watch.residual_count));
    report.progress = watch.path > 0 ? (watch.last_z - watch.first_z).norm() / watch.path : 1;
    report.point_norm = state_.iterate.x.norm();
    state_.report = report;
    state_.good = in_original_units();
    if (diagnosis_) note_face();
  }

  void note_face() {
    const FaceStability face =
        face_stability(*form_, state_.iterate.x, state_.stage.parameters, state_.curvature);
    char text[160];
    std::snprintf(text, sizeof text, "%td free columns, sigma_min+ %.2g, stability %+.2g%s",
                  face.free_columns, face.smallest_singular_value, face.margin,
                  face.margin < 0 ? ": a mode of negative curvature may circle" : "");
    observer_.event("stage " + std::to_string(state_.stage_number) + ": " + text);
  }

  void report_progress() {
    const double row = std::floor(state_.samples * progress_rows / budget_);
    if (row <= last_row_) return;
    last_row_ = row;
    Progress p;
    p.iterations = state_.iterations;
    p.samples = state_.samples;
    p.budget = budget_;
    p.stage = state_.stage_number;
    const Vector x = form_->to_original(state_.iterate.x);
    const auto samples = static_cast<Index>(std::clamp(budget_ / progress_rows / 20, 1.0, 256.0));
    p.objective = estimate_objective(problem_, x, samples, options_.seed);
    const Vector activity = problem_.rows().matrix * x;
    p.feasibility =
        (activity - activity.cwiseMax(problem_.rows().lower).cwiseMin(problem_.rows().upper)).norm();
    p.stationarity = state_.latest ? state_.latest->certificate.stationarity.absolute : std::nan("");
    p.step = state_.stage.at(state_.stage_done).tau;
    if (diagnosis_) {
      const auto figures = (*diagnosis_)(in_original_units());
      p.envelope = figures.envelope;
      p.envelope_gradient = figures.envelope_gradient;
      p.potential = figures.potential;
    }
    p.seconds = elapsed();
    p.seconds_left = p.seconds * std::max(0.0, budget_ / std::max(1.0, state_.samples) - 1);
    observer_.progress(p);
  }

  void note(const std::string& event) {
    state_.events.push_back("stage " + std::to_string(state_.stage_number + 1) + ": " + event);
    observer_.event(state_.events.back());
  }

  bool out_of_time() const { return options_.seconds > 0 && elapsed() > options_.seconds; }
  double elapsed() const { return state_.seconds + seconds_since(start_); }

  void save() {
    if (options_.checkpoint.empty() || !options_.writes_files) return;
    ArchiveWriter writer;
    RunState copy = state_;
    copy.seconds = elapsed();
    writer(copy);
    rule_->save(writer);
    write_checkpoint(options_.checkpoint, mark_, writer.bytes());
    saved_ = Clock::now();
  }

  void restore(const std::string& payload) {
    ArchiveReader reader(payload);
    reader(state_);
    rule_->load(reader);
    last_row_ = std::floor(state_.samples * progress_rows / budget_);
    if (!state_.in_stage) return;
    form_ = std::make_unique<StandardForm>(problem_, state_.scaling);
    take_up();
  }

  // Where a stage that blew up began.
  LastPoint start_of_stage() const {
    const OriginalState& good = state_.good;
    return {good.x, good.z, good.multipliers, Vector::Ones(good.x.size()), state_.curvature};
  }

  void last_touch() {
    const OriginalState now = in_original_units();
    const LastPoint last{now.x, now.z, now.multipliers, form_->column_scale(), state_.curvature};
    if (judging_.satisfied()) return judging_.meet_rows(last);
    double left = judging_.finishing_gradients();
    judging_.finish(last, [&] {
      interrupted_ = interrupted_ || observer_.interrupted();
      return --left > 0 && !interrupted_ && !out_of_time();
    });
  }

  Result conclude() {
    const double solve_seconds = elapsed() - judging_.seconds();
    const bool sound = form_ && state_.iterate.finite() && state_.iterate.x.norm() <= blow_up;
    std::optional<JudgedPoint> chosen;
    if (options_.output == Output::random && state_.at_random_time) {
      judging_.show({state_.at_random_time->x, state_.at_random_time->multipliers});
      chosen = state_.latest;
    } else if (options_.output != Output::best && sound) {  // t* beyond the last iteration: that one
      judging_.show({form_->to_original(state_.iterate.x), form_->multipliers_to_original(state_.iterate.y)});
      chosen = state_.latest;
    } else {
      if (sound && options_.finish) last_touch();
      if (!sound && options_.finish) judging_.meet_rows(start_of_stage());
      if (!state_.best) judging_.show({state_.good.x, state_.good.multipliers});
      chosen = judging_.choice();
    }
    judging_.confirm(*chosen);
    if (judging_.trivial(*chosen)) {
      state_.events.push_back(
          "the point returned is no better than a model that answers the same to everything");
      observer_.event(state_.events.back());
    }
    return assemble(*chosen, solve_seconds, sound);
  }

  Result assemble(const JudgedPoint& chosen, double solve_seconds, bool sound) {
    Result result;
    result.x = chosen.x;
    result.y = chosen.certificate.multipliers;
    result.certificate = chosen.certificate;
    const bool holds = chosen.certificate.holds(options_.tolerance);
    if (!holds && !interrupted_) {
      result.infeasibility = judging_.infeasibility(state_.good.multipliers);
      if (!result.infeasibility)
        result.unboundedness = judging_.unboundedness(user_problem_.starting_point(), chosen.x);
    }
    result.status = interrupted_                     ? Status::interrupted
                    : holds                          ? Status::stationary
                    : result.infeasibility           ? Status::infeasible
                    : sound && !result.unboundedness ? Status::budget_exhausted
                                                     : Status::diverged;
    result.algorithm = algorithm_.name;
    result.parameter_source = to_string(options_.source);
    result.parameters = state_.stage.parameters;
    result.choice = {state_.stage.parameters,
                     {state_.stage.schedule.decay, 0, 1, state_.stage.schedule.floor},
                     state_.scaling.metric,
                     state_.scaling.columns};
    result.reasons = state_.reasons;
    result.events = state_.events;
    result.dual_resets = state_.iterate.resets;
    result.seed = options_.seed;
    result.iterations = state_.iterations;
    result.samples = state_.samples;
    result.certificate_samples = state_.certificate_samples;
    result.solve_seconds = solve_seconds;
    result.certify_seconds = judging_.seconds();
    result.tolerance = options_.tolerance;
    result.absolute = options_.absolute;
    result.variable_names = problem_.variable_names();
    result.row_names = problem_.rows().names;
    return result;
  }

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Problem& user_problem_;
  std::optional<Centring> centring_;
  const Problem& problem_ = centring_ ? centring_->problem() : user_problem_;  // what the run works on
  const SolveOptions& options_;
  Observer& observer_;
  const AlgorithmDescription& algorithm_;
  double cost_;    // sample gradients per iteration
  double budget_;  // sample gradients
  RunState state_;
  Judging judging_{user_problem_, centring_, options_, budget_, state_};
  double loop_budget_;  // less what the finish needs
  std::unique_ptr<Rule> rule_;
  std::uint64_t random_time_;  // the theory's t*

  std::unique_ptr<StandardForm> form_;
  std::unique_ptr<Method> method_;
  std::unique_ptr<RunDiagnosis> diagnosis_;

  Clock::time_point start_ = Clock::now(), saved_ = Clock::now();
  std::uint64_t mark_ = 0;
  double last_row_ = -1;
  bool interrupted_ = false;
};

}  // namespace

Result one_run(const Problem& problem, const SolveOptions& options, Observer& observer) {
  return Run(problem, options, observer).execute();
}

}  // namespace bridle
