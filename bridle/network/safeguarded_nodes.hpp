// Algorithm 2 over a network: node i keeps x_i, z_i and the multipliers of its links; x_i travels over the
// links that are up, and nothing else does.
#pragma once

#include "bridle/network/node_loop.hpp"

namespace bridle {

// The multiplier of a link is known at both ends whether the link is up or not: its term enters with its mean
// p y. One draw serves the residual and the penalty; the penalty's term p (x_i - x_j), seen when the link is
// up, has the mean p^2 (x_i - x_j) that it should have.
class SafeguardedNodes final : public NodeLoop {
 public:
  SafeguardedNodes(const NetworkProblem& problem, const Scaling& scaling, const Territory& where,
                   Exchange& how, const NodeOptions& node_options)
      : NodeLoop(problem, scaling, where, how, node_options), zeta_(node_options.seed, Purpose::constraint) {}

  void step(const Parameters& p) override {
    zeta_.draw(links(), now.iteration, up);
    exchange_points([&] { sample_gradients(); });  // G_i = w_i grad f_i(x_i, xi_i)
    for (const std::size_t k : up) {
      const Link& link = links()[k];
      difference = x(link.from) - x(link.to);
      dual_step(k, p.eta, difference);  // y_e = y_e + eta (x_i - x_j); if |y_e| >= M_y / p_e then y_e = 0
      add_to_ends(link, p.rho * link.probability, difference, direction);  // G += rho A'(A x)
    }
    direction += now.pull;  // G += A'y
    primal_step(p);         // x_i = proj_X(x_i - tau (G_i + mu (x_i - z_i))), z_i
    ++now.iteration;
  }

 private:
  LinkDraws zeta_;
};

// The paper's literal estimator: three independent draws, y and the penalty seen through the second.
class LiteralNodes final : public NodeLoop {
 public:
  LiteralNodes(const NetworkProblem& problem, const Scaling& scaling, const Territory& where, Exchange& how,
               const NodeOptions& node_options)
      : NodeLoop(problem, scaling, where, how, node_options),
        zeta_(node_options.seed, Purpose::constraint),
        zeta1_(node_options.seed, Purpose::constraint_1),
        zeta2_(node_options.seed, Purpose::constraint_2) {}

  void step(const Parameters& p) override {
    const std::uint64_t t = now.iteration;
    const auto drawn = [&](const LinkDraws& draw, const Link& link) {
      return draw.up(link.edge, link.probability, t);
    };
    up.clear();  // the links over which a point is wanted
    for (std::size_t k = 0; k < links().size(); ++k)
      if (drawn(zeta_, links()[k]) || (drawn(zeta1_, links()[k]) && drawn(zeta2_, links()[k])))
        up.push_back(k);
    exchange_points([&] { sample_gradients(); });
    for (const std::size_t k : up) {
      difference = x(links()[k].from) - x(links()[k].to);
      if (drawn(zeta_, links()[k])) dual_step(k, p.eta, difference);  // y_e + eta A_zeta x, safeguard
      if (drawn(zeta1_, links()[k]) && drawn(zeta2_, links()[k]))
        add_to_ends(links()[k], p.rho, difference, direction);  // G += rho A_zeta1' A_zeta2 x
    }
    for (std::size_t k = 0; k < links().size(); ++k)
      if (drawn(zeta1_, links()[k]))
        add_to_ends(links()[k], 1, now.y.col(static_cast<Index>(k)), direction);  // G += A_zeta1' y
    primal_step(p);
    ++now.iteration;
  }

 private:
  LinkDraws zeta_, zeta1_, zeta2_;
};

}  // namespace bridle
