// What every decentralised loop has: the nodes this rank hosts, their points, and the steps that the
// algorithms are made of. All buffers are allocated here, none in a step.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "bridle/core/threads.hpp"
#include "bridle/network/exchange.hpp"
#include "bridle/network/link_draws.hpp"
#include "bridle/network/network_problem.hpp"
#include "bridle/params/stage_walk.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

// The variables of the hosted nodes, a column each; plain values, written to checkpoints as they are.
struct NodeStates {
  Matrix x;      // hosted nodes, then neighbours elsewhere as they were last heard of
  Matrix z;      // the smoothed points
  Matrix y;      // multipliers, a column per link; both ends of an edge keep the same one
  Matrix pull;   // A'y: the sum of +- p y over a node's links, carried along
  Matrix sends;  // one row: how often a node sent its point over a link
  std::uint64_t iteration = 0;
  std::uint64_t resets = 0;  // times the dual safeguard set a link's multiplier to 0

  // What Algorithm 4 carries; empty elsewhere.
  Matrix gradient_estimate;  // dhat, a column per node
  Matrix residual_estimate;  // chat, a column per link
  Matrix pull_estimate;      // phat, a column per node; with literal draws

  template <class Archive>
  void transfer(Archive& archive) {
    archive(x, z, y, pull, sends, iteration, resets, gradient_estimate, residual_estimate, pull_estimate);
  }
};

struct NodeOptions {
  std::uint64_t seed = 1;
  Index batch = 1;
  Index first_batch = 1;  // STORM: of the first gradient
  Sampling sampling = Sampling::reshuffled;
  double dual_bound = infinity;     // M_y of a link of probability 1; a link of probability p gets M_y / p
  std::function<bool()> stop = {};  // asked within large batches, where there is one rank
};

// Every node draws samples of its own.
inline std::uint64_t node_seed(std::uint64_t seed, Index node) {
  return Stream(seed, Purpose::network).bits(static_cast<std::uint64_t>(node), ~std::uint32_t{0}).first;
}

class NodeLoop {
 public:
  // `message`: points of n numbers that a node sends over a link.
  NodeLoop(const NetworkProblem& problem, const Scaling& scaling, const Territory& territory,
           Exchange& exchange, const NodeOptions& options, Index message = 1);
  virtual ~NodeLoop() = default;
  NodeLoop(const NodeLoop&) = delete;
  NodeLoop& operator=(const NodeLoop&) = delete;

  // Returns how many iterations were done: one that is told to stop within its batch is taken back.
  std::uint64_t run(const Stage& stage, std::uint64_t first, std::uint64_t count);
  virtual void step(const Parameters& p) = 0;

  NodeStates& states() { return now; }
  const NodeStates& states() const { return now; }
  // The points x_i of the hosted nodes in the user's units, and their z_i.
  Matrix points() const;
  Matrix smoothed_points() const;
  Index dimension() const { return now.x.rows() / message_; }
  Index message_bytes() const { return now.x.rows() * static_cast<Index>(sizeof(double)); }

 protected:
  auto x(Index column) { return now.x.col(column).head(n); }
  auto x(Index column) const { return now.x.col(column).head(n); }
  // G_i <- w_i grad f_i(x_i, xi), the mean over a batch, for all hosted nodes
  void sample_gradients();
  // Before sample k of a batch is taken: leaves the step when it is told to.
  void ask_before(Index k) {
    if (k > 0 && k % samples_between_questions == 0 && options.stop && options.stop()) throw LeftInBatch();
  }
  // Sums over a vector may depend on where it starts in memory, and a node's column on the rank: sums are
  // taken here, so that results do not depend on how many ranks there are. A set for every thread.
  struct Scratch {
    Vector aligned, point, gradient;
  };
  // work(i, scratch) for all hosted nodes, by threads where these are worth it; the same bits on any number.
  template <class Work>
  void for_each_node(const Work& work) {
    const Index hosted = territory.hosted(), parts = static_cast<Index>(scratch.size());
    if (parts == 1) {
      for (Index i = 0; i < hosted; ++i) work(i, scratch.front());
      return;
    }
    in_parallel(scratch.size(), threads_in_use(), [&](std::size_t part) {
      const auto k = static_cast<Index>(part);
      for (Index i = k * hosted / parts; i < (k + 1) * hosted / parts; ++i) work(i, scratch[part]);
    });
  }
  // out <- w_i grad f_i(at, sample)
  void sample_gradient(Index column, ConstVectorRef at, Sample sample, VectorRef out, Scratch& room) const;
  Sample sample(Index column, std::uint64_t draw) {
    return samplers_[static_cast<std::size_t>(column)](draw);
  }
  // x_i <- proj_X(x_i - tau (G_i + mu (x_i - z_i)));  z_i <- z_i + beta (old x_i - z_i)
  void primal_step(const Parameters& p);
  // y <- y + eta residual on a link; the safeguard sets y to 0 when |y| >= M_y / p. Carries A'y along.
  void dual_step(std::size_t link, double eta, ConstVectorRef residual);
  // target_from += factor v, target_to -= factor v, for the ends hosted here
  void add_to_ends(const Link& link, double factor, ConstVectorRef v, Matrix& target) const {
    if (territory.hosts(link.from)) target.col(link.from) += factor * v;
    if (territory.hosts(link.to)) target.col(link.to) -= factor * v;
  }
  // The points travel over the links in `up`; `meanwhile` runs while they do.
  template <class Work>
  void exchange_points(Work&& meanwhile) {
    for (const std::size_t k : up)
      for (const Index end : {links()[k].from, links()[k].to})
        if (territory.hosts(end)) ++now.sends(0, end);
    exchange.start(up, now.x);
    meanwhile();
    exchange.finish(now.x);
  }
  const std::vector<Link>& links() const { return territory.links(); }

  Index n;  // variables of a node
  const Territory& territory;
  Exchange& exchange;
  NodeOptions options;
  NodeStates now;
  Matrix direction;             // G, a column per hosted node
  Vector difference;            // x_i - x_j
  std::vector<std::size_t> up;  // links of this iteration
  std::vector<Scratch> scratch;

 private:
  static constexpr Index samples_between_questions = 1024;
  struct LeftInBatch {};
  bool may_leave_in_batch() const {
    return options.stop && std::max(options.batch, options.first_batch) > samples_between_questions;
  }

  Index message_;
  std::vector<StandardForm> forms_;  // f_i and X in the scaled variables, of the hosted nodes
  std::vector<double> weights_;
  std::vector<Sampler> samplers_;
};

}  // namespace bridle
