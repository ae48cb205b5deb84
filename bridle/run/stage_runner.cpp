#include "bridle/run/stage_runner.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/algorithms/representations/drawn_batch.hpp"
#include "bridle/algorithms/storm.hpp"
#include "bridle/algorithms/workers.hpp"
#include "bridle/core/count.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/params/constants.hpp"

namespace bridle {
namespace {

constexpr std::uint64_t chunks_per_stage = 40;
constexpr std::uint64_t longest_chunk = 1 << 16;  // iterations: checkpoints are written in between
// Looking at x and z takes about ten passes over them, and a pass costs a fifth of touching as many variables
// here and there: with these chunks looking takes about 3% of a run in which a step touches few of many.
constexpr double passes_per_look = 64;
constexpr double blow_up = 1e13;  // |x| in the standard form beyond which a run counts as diverged

}  // namespace

void StageRunner::open(const StagePlan& plan, const OriginalState& from, Budget& budget) {
  Iterate start;
  start.x = plan.form->to_standard(from.x, from.slacks);
  start.z = plan.form->to_standard(from.z, from.smoothed_slacks);
  start.y = plan.form->multipliers_to_standard(from.multipliers);
  start.draws = state_.iterate.draws;
  start.resets = state_.iterate.resets;
  start.round = state_.iterate.round;
  const Vector unprojected = start.x;
  const bool begins = state_.number == 0 && start.z == start.x;
  plan.form->project(start.x);    // may give up: until here the runner is where it was
  if (begins) start.z = start.x;  // x_0 = z_0 in X

  state_.scaling = plan.scaling;
  state_.stage = plan.stage;
  state_.curvature = plan.curvature;
  state_.reasons = plan.reasons;
  state_.done = 0;
  state_.watch = {};
  budget.spent.samples += static_cast<double>(plan.gradients);
  budget.spent.phases[Phase::start].sample_gradients += static_cast<double>(plan.gradients);
  if (algorithm_.large_first_batch) charge_first_estimate(budget);
  choose_dual_bound(*plan.form, unprojected);
  form_ = plan.form;
  state_.iterate = std::move(start);
  state_.open = true;
  ++state_.number;
  if (batch_.reason) state_.reasons.push_back(*batch_.reason);
  const RepresentationChoice choice = algorithm_.choose(*form_, state_.stage, state_.iterate, batch_.samples);
  state_.representation = choice.representation->name;
  state_.touched = choice.touched;
  if (!choice.why.empty()) state_.reasons.push_back({"touched", choice.touched, choice.why});
  if (workers_ > 1)
    state_.reasons.push_back({"workers", static_cast<double>(workers_),
                              "share the samples, and average their states after rounds of iterations"});
  warning_ = choice.warning;
  build_method(*choice.representation);
}

// STORM's first batch, which every worker takes, comes out of the stage.
void StageRunner::charge_first_estimate(Budget& budget) {
  const auto workers = static_cast<double>(workers_);
  const double batch = workers * static_cast<double>(first_batch(state_.stage, batch_.samples));
  state_.stage.iterations = beside_first_batch(state_.stage, batch_.samples, cost_ / workers);
  budget.spent.samples += batch;
  budget.spent.phases[Phase::loop].sample_gradients += batch;
}

void StageRunner::charge(double iterations, Spending& spent) const {
  PhaseSpending& loop = spent.phases[Phase::loop];
  const bool full = algorithm_.gradients_per_iteration == 0;
  (full ? loop.full_gradients : loop.sample_gradients) += full ? iterations : iterations * cost_;
  loop.projections += iterations * static_cast<double>(workers_);
  spent.samples += iterations * cost_;
  spent.iterations = static_cast<std::uint64_t>(static_cast<double>(spent.iterations) + iterations);
}

// M_y: the user's, the paper's where its constants are known, or a bound that multipliers of a sound run
// stay far below.
void StageRunner::choose_dual_bound(const StandardForm& form, const Vector& v) {
  state_.dual_bound = options_.dual_bound;
  if (!algorithm_.samples_rows) return;
  if (state_.dual_bound > 0) {
    state_.reasons.push_back({"M_y", state_.dual_bound, "given"});
    return;
  }
  if (options_.safeguard) {
    state_.dual_bound =
        theory_dual_bound(*options_.safeguard, state_.stage.parameters.mu, state_.stage.parameters.rho);
    state_.reasons.push_back({"M_y", state_.dual_bound, "the paper's formula, (M_V - M_Psi + 2 M)/r"});
    return;
  }
  Vector gradient(form.dimension()), point(form.variables());
  form.gradient(v, 0, gradient, point);
  state_.dual_bound = dual_bound_factor * (gradient.norm() + state_.curvature * (1 + v.norm()));
  state_.reasons.push_back(
      {"M_y", state_.dual_bound,
       formatted("%g (|gradient| + L (1 + |x|)): far above sound multipliers", dual_bound_factor.value)});
}

void StageRunner::take_up(std::shared_ptr<const StandardForm> form) {
  form_ = std::move(form);
  const Representation* representation = algorithm_.find_representation(state_.representation);
  if (!representation)
    throw InputError("the checkpoint is of another version: it has a representation '" +
                     state_.representation + "'");
  const Iterate& at = state_.iterate;
  const auto fits = [&](const Vector& v, Index count) { return v.size() == 0 || v.size() == count; };
  const Index n = form_->dimension(), m = form_->rows();
  if (at.x.size() != n || at.z.size() != n || at.y.size() != m || !fits(at.estimate, n) ||
      !fits(at.residual_estimate, m) || !fits(at.pull_estimate, n) || !fits(at.previous_x, n) ||
      !fits(at.previous_y, m) || !fits(state_.watch.first_z, n) || !fits(state_.watch.last_z, n))
    throw InputError("the checkpoint is damaged: its iterate has another number of entries than the problem");
  build_method(*representation);
}

void StageRunner::build_method(const Representation& representation) {
  // Workers stop when they have met.
  const Index piece = samples_of_a_piece(form_->problem().objective());
  asks_in_batches_ = workers_ == 1 && !options_.team && batch_.samples > piece;
  MethodSettings settings{.sampling = options_.sampling,
                          .batch = batch_.samples,
                          .seed = options_.seed,
                          .dual_bound = state_.dual_bound,
                          .literal_draws = options_.literal_draws,
                          .guessed_length = follows_the_clock(options_)};
  if (asks_in_batches_)
    settings.between_pieces = [this] {
      if (asked_ && asked_->stop()) throw LeftInBatch();
    };
  if (workers_ == 1)
    method_ = representation.create(*form_, state_.stage, state_.iterate, settings);
  else
    method_ = std::make_unique<Workers>(*form_, representation, state_.stage, state_.iterate, settings,
                                        WorkerSettings{workers_, state_.touched, options_.team});
  loose_.reset();
  loose_count_ = 0;
}

std::uint64_t StageRunner::chunk_length() const {
  const auto n = static_cast<double>(form_->variables());
  const bool few = state_.touched > 0 && state_.touched < n;
  std::uint64_t least = few ? to_count(passes_per_look * n / state_.touched) : 1;
  if (workers_ > 1)  // they meet at the end of a chunk
    least = std::max(least, paying_round(2 * n, (state_.touched > 0 ? state_.touched : n) *
                                                    static_cast<double>(options_.batch)));
  const std::uint64_t wanted = std::min(state_.stage.iterations / chunks_per_stage, longest_);
  return std::clamp(wanted, least, std::max(longest_chunk, least));
}

std::uint64_t StageRunner::run(std::uint64_t first, std::uint64_t count, Budget& budget) {
  if (!asks_in_batches_) {
    method_->run(state_.stage, first, count);
    return count;
  }
  asked_ = &budget;
  for (std::uint64_t k = 0; k < count; ++k) {
    const Iterate before = method_->snapshot();
    try {
      method_->run(state_.stage, first + k, 1);
    } catch (const LeftInBatch&) {
      method_->take_up(before);
      return k;
    }
  }
  return count;
}

bool StageRunner::advance(std::uint64_t at_most, Budget& budget) {
  const std::uint64_t length = chunk_length(), total = state_.stage.iterations;
  const std::uint64_t count =
      std::min({length - state_.done % length, total - state_.done, std::max<std::uint64_t>(1, at_most)});
  std::uint64_t at = state_.done;
  const std::uint64_t done = budget.work_off(count, [&](std::uint64_t n) {
    const std::uint64_t whole = run(at, n, budget);
    at += whole;
    return whole;
  });
  charge(static_cast<double>(done), budget.spent);
  if (done < count) {
    loose_ = method_->snapshot();
    loose_count_ = done;
    return false;
  }
  method_->settle(state_.iterate);
  state_.done += count;
  return true;
}

void StageRunner::replan(double rest, double progress) {
  state_.stage.iterations = state_.done + (rest > 0 ? to_count(rest) : 0);
  if (over()) return;
  Schedule& schedule = state_.stage.schedule;
  const double share = static_cast<double>(state_.done) / static_cast<double>(state_.stage.iterations);
  schedule.begin = (progress - share * schedule.end) / (1 - share);
}

bool StageRunner::expect_rest() { return !over() && method_->expect(state_.stage.iterations - state_.done); }

bool StageRunner::sound() const { return iterate().finite() && iterate().x.norm() <= blow_up; }

OriginalState StageRunner::in_original_units() const {
  const Iterate& now = iterate();
  return {form_->to_original(now.x), form_->to_original(now.z), form_->multipliers_to_original(now.y),
          form_->slacks_to_original(now.x), form_->slacks_to_original(now.z)};
}

void StageRunner::keep_watch() {
  StageWatch& watch = state_.watch;
  if (4 * state_.done >= 3 * state_.stage.iterations) {
    Vector residual(form_->rows()), scratch(form_->rows()), image(form_->rows());
    form_->residual(state_.iterate.x, residual);
    image = residual;
    form_->metric().apply(image, scratch);
    watch.residual_squares += residual.dot(image);
    watch.residual_count += 1;
  }
  if (2 * state_.done >= state_.stage.iterations) {
    if (watch.first_z.size() == 0) watch.first_z = watch.last_z = state_.iterate.z;
    watch.path += (state_.iterate.z - watch.last_z).norm();
    watch.last_z = state_.iterate.z;
  }
}

StageReport StageRunner::report() const {
  const StageWatch& watch = state_.watch;
  StageReport report;
  report.residual = std::sqrt(watch.residual_squares / std::max(1.0, watch.residual_count));
  report.progress = watch.path > 0 ? (watch.last_z - watch.first_z).norm() / watch.path : 1;
  report.point_norm = state_.iterate.x.norm();
  return report;
}

}  // namespace bridle
