#include "bridle/algorithms/workers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bridle/core/count.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/core/tree_sum.hpp"
#include "bridle/problem/objectives/share.hpp"

namespace bridle {
namespace {

// Nanoseconds: of an average, threads that start or messages that travel, and for every number of the state;
// of an iteration, and for every number that it touches. Estimates that make averages dear and iterations
// cheap: measured later (docs/scaling.md, what an average costs), two threads take 33 us for 200 numbers
// where these say 64, and 0.9 ms for 200,000 where they say 4; an iteration takes 0.2 us and 1.2 us where
// they say 0.14 and 0.1, since it waits for its samples. A change changes the bits of every run with workers.
constexpr double average_takes = 60e3, average_of_a_number = 20, iteration_takes = 40, touch_takes = 1;
constexpr double averaging_share = 0.1;  // of the time
constexpr std::uint64_t most_iterations = std::uint64_t{1} << 40;
// Workers that see alike samples are as far from their average as noise takes them: about W - 1 in the
// measure of drift where the average stays where it is, less where it moves. Beyond twice that the shares
// pull them apart.
constexpr double far_apart = 2, close = 1;   // times W
constexpr std::uint64_t shortest_round = 8;  // for shares that pull, whatever it costs
constexpr std::uint64_t worth_threads =
    16;  // rounds this many times shorter than those that pay are run in one
// A worker that sees its samples again and again within a round goes where they, and not all, would have it.
constexpr double share_of_a_round = 0.25;  // at most, of its samples

}  // namespace

std::uint64_t paying_round(double state_numbers, double touched) {
  const double average = average_takes + average_of_a_number * state_numbers;
  return to_count(average / averaging_share / (iteration_takes + touch_takes * touched));
}

struct Workers::Layout {
  static constexpr Index figures = 2;  // resets since the round began, |x - x then|^2

  static std::array<Vector Iterate::*, 9> parts() {
    return {&Iterate::x,
            &Iterate::z,
            &Iterate::y,
            &Iterate::estimate,
            &Iterate::residual_estimate,
            &Iterate::pull_estimate,
            &Iterate::previous_x,
            &Iterate::previous_y,
            &Iterate::own};
  }
  static Index numbers(const Iterate& state) {
    Index sum = 0;
    for (const auto part : parts()) sum += (state.*part).size();
    return sum;
  }
};

Workers::Workers(const StandardForm& form, const Representation& representation, const Stage& stage,
                 const Iterate& start, const MethodSettings& settings, const WorkerSettings& workers)
    : form_(form),
      workers_{workers.count, workers.team},
      dual_bound_(settings.dual_bound),
      box_(form.variable_bounds().has_value()),
      common_(start) {
  const double touched = workers.touched > 0 ? workers.touched : static_cast<double>(form.variables());
  const std::uint64_t paying =
      paying_round(2 * static_cast<double>(form.variables()), touched * static_cast<double>(settings.batch));
  const Index begin = workers_.first();
  forms_.resize(static_cast<std::size_t>(workers_.end() - begin));
  methods_.resize(forms_.size());
  states_.resize(forms_.size());
  const AnyObjective& whole = form.problem().objective();
  paying_ = paying;
  const Index samples = std::max<Index>(0, whole.sample_count());  // of an endless stream nobody has a share
  longest_ = samples == 0 ? most_iterations
                          : to_count(share_of_a_round * static_cast<double>(samples) /
                                     static_cast<double>(workers_.count * settings.batch));
  least_ = std::min(shortest_round, longest_);
  common_.round = std::min(common_.round > 0 ? common_.round : paying, longest_);
  in_parallel(methods_.size(), threads(), [&](std::size_t k) {
    const Index worker = begin + static_cast<Index>(k);
    const Index first = first_of_share(samples, worker, workers_.count),
                last = first_of_share(samples, worker + 1, workers_.count);
    forms_[k] =
        std::make_unique<const StandardForm>(form.with_objective(share_of(whole, first, last - first)));
    MethodSettings own = settings;
    own.worker = static_cast<std::uint32_t>(worker);
    own.dual_bound = infinity;
    methods_[k] = representation.create(*forms_[k], stage, start, own);
  });
}

// An objective that is for one thread gets its workers one after the other. So do rows known through draws,
// which do not say whether they are for several, and rounds that are over sooner than threads have started.
unsigned Workers::threads() const {
  const Problem& problem = form_.problem();
  const bool worth_it = worth_threads * common_.round >= paying_;
  const bool safe = problem.objective().as_linear_model() || problem.objective().thread_safe();
  return worth_it && safe && !problem.stochastic_rows() ? threads_in_use() : 1;
}

void Workers::run(const Stage& stage, std::uint64_t first, std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t now = std::min(count, common_.round - since_);
    const bool ends = since_ + now == common_.round;
    in_parallel(methods_.size(), threads(), [&](std::size_t k) {
      if (behind_) methods_[k]->take_up(common_);
      methods_[k]->run(stage, first, now);
      if (ends) methods_[k]->write_to(states_[k]);
    });
    behind_ = false;
    since_ += now;
    first += now;
    count -= now;
    if (ends) meet();
  }
}

void Workers::write_column(const Iterate& state, Eigen::Ref<Vector> column) const {
  Index at = 0;
  for (const auto part : Layout::parts()) {
    const Vector& numbers = state.*part;
    column.segment(at, numbers.size()) = numbers;
    at += numbers.size();
  }
  column[at] = static_cast<double>(state.resets - common_.resets);
  column[at + 1] = (state.x - common_.x).squaredNorm();
}

void Workers::sum_over_workers(Matrix& columns) const {
  const auto& [count, among] = workers_;
  if (!among) return sum_node(nodes_of(0, count, count).front(), count, 0, columns);
  const Index begin = workers_.first();
  std::vector<Vector> mine;
  for (const TreeNode& node : nodes_of(begin, workers_.end(), count)) {
    sum_node(node, count, begin, columns);
    mine.emplace_back(columns.col(node.first - begin));
  }
  const Vector like = Vector::Zero(columns.rows());
  columns = sum_over_processes(*among, count, std::move(mine), like);
}

Workers::Average Workers::average(const std::vector<Iterate>& states) const {
  const Iterate& like = states.front();
  Matrix columns(Layout::numbers(like) + Layout::figures, static_cast<Index>(states.size()));
  in_parallel(states.size(), threads(),
              [&](std::size_t k) { write_column(states[k], columns.col(static_cast<Index>(k))); });
  sum_over_workers(columns);
  const double share = 1 / static_cast<double>(workers_.count);
  Iterate out;
  out.draws = like.draws;
  out.round = common_.round;
  Index at = 0;
  for (const auto part : Layout::parts()) {
    const Index size = (like.*part).size();
    out.*part = share * columns.col(0).segment(at, size);
    at += size;
  }
  out.resets = common_.resets + static_cast<std::uint64_t>(columns(at, 0));
  const double come = (out.x - common_.x).squaredNorm();
  const double drift = (share * columns(at + 1, 0) - come) / come;
  // Averages of points of a convex set are in it but for rounding.
  form_.project(out.x);
  if (box_) form_.project(out.z);
  if (out.y.norm() >= dual_bound_) {
    out.y.setZero();
    ++out.resets;
  }
  return {std::move(out), drift};
}

void Workers::meet() {
  Average found = average(states_);
  common_ = std::move(found.state);
  const double apart = found.drift / static_cast<double>(workers_.count);
  if (apart > far_apart && 2 * since_ >= common_.round)
    common_.round = std::max(least_, std::min(common_.round, since_) / 2);
  else if (apart < close && since_ == common_.round)
    common_.round = std::min(2 * common_.round, longest_);
  since_ = 0;
  behind_ = true;
}

void Workers::settle(Iterate& out) {
  if (since_ > 0) {
    in_parallel(methods_.size(), threads(), [&](std::size_t k) { methods_[k]->write_to(states_[k]); });
    meet();
  }
  out = common_;
}

void Workers::write_to(Iterate& out) const {
  if (since_ == 0) {
    out = common_;
    return;
  }
  std::vector<Iterate> states(methods_.size());
  for (std::size_t k = 0; k < states.size(); ++k) methods_[k]->write_to(states[k]);
  out = average(states).state;
}

void Workers::take_up(const Iterate& state) {
  common_ = state;
  since_ = 0;
  behind_ = true;
}

}  // namespace bridle
