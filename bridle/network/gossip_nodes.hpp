// The rival: decentralised SGD with gossip averaging, x_i <- proj_X(sum_j W_ij x_j - tau grad f_i(x_i, xi_i))
// over the same links and samples. With tau = 0 it is the finishing phase: averaging alone.
#pragma once

#include "bridle/network/averaging.hpp"
#include "bridle/network/node_loop.hpp"

namespace bridle {

class GossipNodes final : public NodeLoop {
 public:
  GossipNodes(const NetworkProblem& problem, const Scaling& scaling, const Territory& where, Exchange& how,
              const NodeOptions& node_options)
      : NodeLoop(problem, scaling, where, how, node_options),
        averaging_(problem.graph, where, node_options.seed),
        averaged_(n, where.hosted()) {}

  void step(const Parameters& p) override {
    averaging_.draw(now.iteration, up);
    exchange_points([&] {
      if (p.tau > 0) sample_gradients();
    });
    averaged_ = now.x.leftCols(territory.hosted());
    for (const std::size_t k : up) {
      const Link& link = links()[k];
      difference = x(link.from) - x(link.to);
      add_to_ends(link, -averaging_.weight(link), difference, averaged_);
    }
    now.x.leftCols(territory.hosted()) = averaged_;
    if (p.tau > 0) primal_step({.tau = p.tau});
    ++now.iteration;
  }

 private:
  Averaging averaging_;
  Matrix averaged_;
};

}  // namespace bridle
