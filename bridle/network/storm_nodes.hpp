// Algorithm 4 over a network: Algorithm 2 with STORM estimates of grad f_i(x_i) and of the residuals of the
// links, corrected by same-sample differences. A node sends x_t and x_{t-1}: twice the bytes of Algorithm 2.
#pragma once

#include "bridle/network/node_loop.hpp"

namespace bridle {

// What both variants carry: dhat of grad f_i(x_i) at every node, chat of E[A] x on every link.
class StormEstimates : public NodeLoop {
 public:
  StormEstimates(const NetworkProblem& problem, const Scaling& scaling, const Territory& where, Exchange& how,
                 const NodeOptions& node_options)
      : NodeLoop(problem, scaling, where, how, node_options, 2),
        zeta_(node_options.seed, Purpose::constraint) {
    now.gradient_estimate = Matrix::Zero(n, where.hosted());
    now.residual_estimate = Matrix::Zero(n, now.y.cols());
  }

 protected:
  auto previous(Index column) { return now.x.col(column).tail(n); }

  // dhat_t at (x_t, x_{t-1}), both at the samples xi_t
  void update_gradients(double alpha) {
    const bool first = now.iteration == 0;
    const Index size = first ? options.first_batch : options.batch;
    const auto draws = static_cast<std::uint64_t>(
        first ? 0 : options.first_batch + (static_cast<Index>(now.iteration) - 1) * options.batch);
    const double share = 1 / static_cast<double>(size), memory = first ? 0 : 1 - alpha;
    for_each_node([&](Index i, Scratch& room) {
      auto estimate = now.gradient_estimate.col(i);
      estimate *= memory;
      for (Index k = 0; k < size; ++k) {
        ask_before(k);
        const Sample xi = sample(i, draws + static_cast<std::uint64_t>(k));
        sample_gradient(i, x(i), xi, room.gradient, room);
        estimate += share * room.gradient;
        if (first) continue;
        sample_gradient(i, previous(i), xi, room.gradient, room);
        estimate -= memory * share * room.gradient;
      }
    });
  }

  // difference <- (x_i - x_j)_t - (1 - alpha) (x_i - x_j)_{t-1}
  void set_change(const Link& link, double alpha) {
    difference = x(link.from) - x(link.to);
    difference -= (1 - alpha) * (previous(link.from) - previous(link.to));
  }

  // x_{t+1}, z_{t+1}, once `direction` is complete
  void move(const Parameters& p) {
    now.x.bottomRows(n) = now.x.topRows(n);
    primal_step(p);
    ++now.iteration;
  }

  LinkDraws zeta_;
};

// One estimate chat of E[A] x serves the dual step and the penalty: given chat, the mean of the paper's third
// estimate over its draws is A'(y + rho chat), and both ends of a link know their chat without a message.
class StormNodes final : public StormEstimates {
 public:
  using StormEstimates::StormEstimates;

  void step(const Parameters& p) override {
    zeta_.draw(links(), now.iteration, up);
    exchange_points([&] { update_gradients(p.alpha); });
    now.residual_estimate *= 1 - p.alpha;  // chat_t; all nodes start at one point: chat_0 = 0 is exact
    for (const std::size_t k : up) {
      set_change(links()[k], p.alpha);
      now.residual_estimate.col(static_cast<Index>(k)) += difference;
    }
    direction = now.gradient_estimate;
    for (std::size_t k = 0; k < links().size(); ++k) {
      difference = now.residual_estimate.col(static_cast<Index>(k));
      dual_step(k, p.eta, difference);  // y_{t+1} = y_t + eta chat_t, safeguard
      add_to_ends(links()[k], p.rho * links()[k].probability, difference, direction);
    }
    direction += now.pull;  // G = dhat_t + A'(y_{t+1} + rho chat_t)
    move(p);                //   + mu (x_t - z_t)
  }
};

// The paper's literal estimators: chat through the first draw, and a third estimate phat of
// A'(y + rho A x) through the second and the third.
class LiteralStormNodes final : public StormEstimates {
 public:
  LiteralStormNodes(const NetworkProblem& problem, const Scaling& scaling, const Territory& where,
                    Exchange& how, const NodeOptions& node_options)
      : StormEstimates(problem, scaling, where, how, node_options),
        zeta1_(node_options.seed, Purpose::constraint_1),
        zeta2_(node_options.seed, Purpose::constraint_2) {
    now.pull_estimate = Matrix::Zero(n, where.hosted());
  }

  void step(const Parameters& p) override {
    const auto drawn = [&](const LinkDraws& draw, std::size_t k) {
      return draw.up(links()[k].edge, links()[k].probability, now.iteration);
    };
    const auto penalised = [&](std::size_t k) { return drawn(zeta1_, k) && drawn(zeta2_, k); };
    up.clear();  // the links over which points are wanted
    for (std::size_t k = 0; k < links().size(); ++k)
      if (drawn(zeta_, k) || penalised(k)) up.push_back(k);
    exchange_points([&] { update_gradients(p.alpha); });
    now.residual_estimate *= 1 - p.alpha;
    now.pull_estimate *= 1 - p.alpha;
    for (const std::size_t k : up) {
      set_change(links()[k], p.alpha);
      if (drawn(zeta_, k)) now.residual_estimate.col(static_cast<Index>(k)) += difference;  // chat_t
      if (penalised(k)) add_to_ends(links()[k], p.rho, difference, now.pull_estimate);      // phat_t: of A x
    }
    for (std::size_t k = 0; k < links().size(); ++k) {
      const auto y = now.y.col(static_cast<Index>(k));
      const bool seen = drawn(zeta1_, k);
      if (seen) add_to_ends(links()[k], -(1 - p.alpha), y, now.pull_estimate);  // phat_t: of y_t
      difference = now.residual_estimate.col(static_cast<Index>(k));
      dual_step(k, p.eta, difference);                             // y_{t+1} = y_t + eta chat_t, safeguard
      if (seen) add_to_ends(links()[k], 1, y, now.pull_estimate);  // phat_t: of y_{t+1}
    }
    direction = now.gradient_estimate + now.pull_estimate;  // G = dhat_t + phat_t
    move(p);
  }

 private:
  LinkDraws zeta1_, zeta2_;
};

}  // namespace bridle
