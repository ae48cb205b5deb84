// Algorithm 4 over a network: Algorithm 2 with STORM estimates of grad f_i(x_i) and of the residuals of the
// links, corrected by same-sample differences. A node sends x_t and x_{t-1}: twice the bytes of Algorithm 2.
#pragma once

#include "bridle/network/node_loop.hpp"

namespace bridle {

// One estimate chat of E[A] x serves the dual step and the penalty: given chat, the mean of the paper's third
// estimate over its draws is A'(y + rho chat), and both ends of a link know their chat without a message.
class StormNodes final : public NodeLoop {
 public:
  StormNodes(const NetworkProblem& problem, const Scaling& scaling, const Territory& where, Exchange& how,
             const NodeOptions& node_options)
      : NodeLoop(problem, scaling, where, how, node_options, 2),
        zeta_(node_options.seed, Purpose::constraint),
        gradient_(n) {
    now.gradient_estimate = Matrix::Zero(n, where.hosted());
    now.residual_estimate = Matrix::Zero(n, now.y.cols());
  }

  void step(const Parameters& p) override {
    zeta_.draw(links(), now.iteration, up);
    exchange_points([&] { update_gradients(p.alpha); });  // dhat_t at (x_t, x_{t-1}), both at the sample xi_t
    update_residuals(p.alpha);                            // chat_t at (x_t, x_{t-1}), both at the draw zeta_t
    direction = now.gradient_estimate;
    for (std::size_t k = 0; k < links().size(); ++k) {
      difference = now.residual_estimate.col(static_cast<Index>(k));
      dual_step(k, p.eta, difference);  // y_{t+1} = y_t + eta chat_t, safeguard
      add_to_ends(links()[k], p.rho * links()[k].probability, difference, direction);
    }
    direction += now.pull;  // G = dhat_t + A'(y_{t+1} + rho chat_t)
    now.x.bottomRows(n) = now.x.topRows(n);
    primal_step(p);  //   + mu (x_t - z_t); x_{t+1}, z_{t+1}
    ++now.iteration;
  }

 private:
  auto previous(Index column) { return now.x.col(column).tail(n); }

  void update_gradients(double alpha) {
    const bool first = now.iteration == 0;
    const Index size = first ? options.first_batch : options.batch;
    const auto draws = static_cast<std::uint64_t>(
        first ? 0 : options.first_batch + (static_cast<Index>(now.iteration) - 1) * options.batch);
    const double share = 1 / static_cast<double>(size), memory = first ? 0 : 1 - alpha;
    for (Index i = 0; i < territory.hosted(); ++i) {
      auto estimate = now.gradient_estimate.col(i);
      estimate *= memory;
      for (Index k = 0; k < size; ++k) {
        const Sample xi = sample(i, draws + static_cast<std::uint64_t>(k));
        sample_gradient(i, x(i), xi, gradient_);
        estimate += share * gradient_;
        if (first) continue;
        sample_gradient(i, previous(i), xi, gradient_);
        estimate -= memory * share * gradient_;
      }
    }
  }

  // All nodes start at one point: chat_0 = 0 is exact.
  void update_residuals(double alpha) {
    now.residual_estimate *= 1 - alpha;
    for (const std::size_t k : up) {
      const Link& link = links()[k];
      auto estimate = now.residual_estimate.col(static_cast<Index>(k));
      estimate += x(link.from) - x(link.to);
      estimate -= (1 - alpha) * (previous(link.from) - previous(link.to));
    }
  }

  LinkDraws zeta_;
  Vector gradient_;
};

}  // namespace bridle
