#include "bridle/network/node_loop.hpp"

#include <algorithm>
#include <optional>

namespace bridle {

NodeLoop::NodeLoop(const NetworkProblem& problem, const Scaling& scaling, const Territory& where,
                   Exchange& how, const NodeOptions& node_options, Index message)
    : n(problem.dimension()),
      territory(where),
      exchange(how),
      options(node_options),
      direction(n, where.hosted()),
      difference(n),
      message_(message),
      aligned_(n),
      point_(n),
      one_gradient_(n) {
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
  const bool may_leave =
      options.stop && std::max(options.batch, options.first_batch) > samples_between_questions;
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto before = may_leave ? std::optional(now) : std::nullopt;
    try {
      step(walk.next());
    } catch (const LeftInBatch&) {
      now = *before;
      return k;
    }
  }
  return count;
}

void NodeLoop::sample_gradient(Index column, ConstVectorRef at, Sample sample, VectorRef out) {
  aligned_ = at;
  forms_[static_cast<std::size_t>(column)].variable_gradient(aligned_, sample, out, point_);
  out *= weights_[static_cast<std::size_t>(column)];
}

void NodeLoop::sample_gradients() {
  const auto batch = static_cast<std::uint64_t>(options.batch);
  for (Index i = 0; i < territory.hosted(); ++i) {
    sample_gradient(i, x(i), sample(i, now.iteration * batch), direction.col(i));
    for (std::uint64_t k = 1; k < batch; ++k) {
      ask_before(static_cast<Index>(k));
      sample_gradient(i, x(i), sample(i, now.iteration * batch + k), one_gradient_);
      direction.col(i) += one_gradient_;
    }
    if (batch > 1) direction.col(i) /= static_cast<double>(batch);
  }
}

void NodeLoop::primal_step(const Parameters& p) {
  for (Index i = 0; i < territory.hosted(); ++i) {
    difference = x(i) - now.z.col(i);
    now.z.col(i) += p.beta * difference;
    aligned_ = x(i) - p.tau * (direction.col(i) + p.mu * difference);
    forms_[static_cast<std::size_t>(i)].project_variables(aligned_);
    x(i) = aligned_;
  }
}

void NodeLoop::dual_step(std::size_t k, double eta, ConstVectorRef residual) {
  const Link& link = links()[k];
  auto y = now.y.col(static_cast<Index>(k));
  y += eta * residual;
  add_to_ends(link, link.probability * eta, residual, now.pull);
  aligned_ = y;
  if (aligned_.norm() < options.dual_bound / link.probability) return;
  add_to_ends(link, -link.probability, aligned_, now.pull);
  y.setZero();
  if (territory.hosts(link.from)) ++now.resets;  // counted at one of the ends
}

}  // namespace bridle
