#include "bridle/network/node_loop.hpp"

#include <algorithm>
#include <optional>

namespace bridle {
namespace {

// Nanoseconds of a step of a node, and for every variable; threads take as long to start as nodes that take
// so many.
constexpr double node_takes = 170, variable_takes = 3.6, worth_threads = 2e5;
constexpr Index most_parts = 64;

// Parts of the hosted nodes that threads may take. Batches that stop in the middle are one thread's, since
// only one may ask whether to.
std::size_t parts_of(const NetworkProblem& problem, Index hosted, bool may_leave) {
  if (may_leave) return 1;
  const auto n = static_cast<double>(problem.dimension());
  if (static_cast<double>(hosted) * (node_takes + variable_takes * n) < worth_threads) return 1;
  for (const AnyObjective& shard : problem.shards)
    if (!shard.thread_safe()) return 1;
  return static_cast<std::size_t>(std::min(hosted, most_parts));
}

}  // namespace

NodeLoop::NodeLoop(const NetworkProblem& problem, const Scaling& scaling, const Territory& where,
                   Exchange& how, const NodeOptions& node_options, Index message)
    : n(problem.dimension()),
      territory(where),
      exchange(how),
      options(node_options),
      direction(n, where.hosted()),
      difference(n),
      scratch(parts_of(problem, where.hosted(), may_leave_in_batch()),
              Scratch{Vector(n), Vector(n), Vector(n)}),
      message_(message) {
  for (Index column = 0; column < where.hosted(); ++column) {
    const AnyObjective& shard = problem.shards[static_cast<std::size_t>(column)];
    forms_.emplace_back(problem.over_set(shard), scaling);
    weights_.push_back(problem.weights[static_cast<std::size_t>(column)]);
    samplers_.emplace_back(shard.sample_count(), options.sampling,
                           node_seed(options.seed, where.node(column)));
  }
  const Vector start = forms_.front().to_standard(forms_.front().problem().starting_point(), {});
  now.x = start.replicate(message, where.seen());
  now.z = start.replicate(1, where.hosted());
  now.y = Matrix::Zero(n, static_cast<Index>(links().size()));
  now.pull = Matrix::Zero(n, where.hosted());
  now.sends = Matrix::Zero(1, where.hosted());
  up.reserve(links().size());
}

Matrix NodeLoop::points() const {
  Matrix out(n, territory.hosted());
  for (Index i = 0; i < territory.hosted(); ++i)
    out.col(i) = forms_[static_cast<std::size_t>(i)].to_original(x(i));
  return out;
}

Matrix NodeLoop::smoothed_points() const {
  Matrix out(n, territory.hosted());
  for (Index i = 0; i < territory.hosted(); ++i)
    out.col(i) = forms_[static_cast<std::size_t>(i)].to_original(now.z.col(i).head(n));
  return out;
}

std::uint64_t NodeLoop::run(const Stage& stage, std::uint64_t first, std::uint64_t count) {
  StageWalk walk(stage, first);
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto before = may_leave_in_batch() ? std::optional(now) : std::nullopt;
    try {
      step(walk.next());
    } catch (const LeftInBatch&) {
      now = *before;
      return k;
    }
  }
  return count;
}

void NodeLoop::sample_gradient(Index column, ConstVectorRef at, Sample sample, VectorRef out,
                               Scratch& room) const {
  room.aligned = at;
  forms_[static_cast<std::size_t>(column)].variable_gradient(room.aligned, sample, out, room.point);
  out *= weights_[static_cast<std::size_t>(column)];
}

void NodeLoop::sample_gradients() {
  const auto batch = static_cast<std::uint64_t>(options.batch);
  for_each_node([&](Index i, Scratch& room) {
    sample_gradient(i, x(i), sample(i, now.iteration * batch), direction.col(i), room);
    for (std::uint64_t k = 1; k < batch; ++k) {
      ask_before(static_cast<Index>(k));
      sample_gradient(i, x(i), sample(i, now.iteration * batch + k), room.gradient, room);
      direction.col(i) += room.gradient;
    }
    if (batch > 1) direction.col(i) /= static_cast<double>(batch);
  });
}

void NodeLoop::primal_step(const Parameters& p) {
  for_each_node([&](Index i, Scratch& room) {
    Vector& apart = room.gradient;
    apart = x(i) - now.z.col(i);
    now.z.col(i) += p.beta * apart;
    room.aligned = x(i) - p.tau * (direction.col(i) + p.mu * apart);
    forms_[static_cast<std::size_t>(i)].project_variables(room.aligned);
    x(i) = room.aligned;
  });
}

void NodeLoop::dual_step(std::size_t k, double eta, ConstVectorRef residual) {
  const Link& link = links()[k];
  auto y = now.y.col(static_cast<Index>(k));
  y += eta * residual;
  add_to_ends(link, link.probability * eta, residual, now.pull);
  Vector& aligned = scratch.front().aligned;
  aligned = y;
  if (aligned.norm() < options.dual_bound / link.probability) return;
  add_to_ends(link, -link.probability, aligned, now.pull);
  y.setZero();
  if (territory.hosts(link.from)) ++now.resets;  // counted at one of the ends
}

}  // namespace bridle
