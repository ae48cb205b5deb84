// The centralised objective f = (1/N) sum_i w_i f_i over the ranks that host the f_i. Every evaluation is a
// collective: all ranks ask for the same figures in the same order, and none needs the data of another.
#pragma once

#include "bridle/network/exchange.hpp"
#include "bridle/network/network_problem.hpp"

namespace bridle {

// Means over the nodes.
class OverNodes {
 public:
  OverNodes(const NetworkProblem& problem, const Territory& territory, Exchange& exchange)
      : problem_(problem), territory_(territory), exchange_(exchange) {}

  // (1/N) sum_i w_i figures_i, everywhere; work(k, column) fills the column of the hosted node k.
  template <class Work>
  Vector mean(Index rows, Work&& work) const {
    Matrix figures(rows, territory_.hosted());
    for (Index k = 0; k < territory_.hosted(); ++k) {
      // Sums may depend on where a vector starts in memory, and a column on the rank: see NodeLoop.
      Vector one(rows);
      work(static_cast<std::size_t>(k), one);
      figures.col(k) = problem_.weights[static_cast<std::size_t>(k)] * one;
    }
    return exchange_.sum(figures) / static_cast<double>(territory_.nodes());
  }

 protected:
  const NetworkProblem& problem_;
  const Territory& territory_;
  Exchange& exchange_;
};

// What every node offers: its mean; values of what is known, its mean or else its samples; bounds of its
// curvatures. What one of them lacks, the whole has not.
struct Offers {
  bool means = false, values = false, curvature = false;
};

// A sample of f is one of every node's.
template <Offers offers>
class CentralObjective : public OverNodes {
 public:
  using OverNodes::OverNodes;

  Index dimension() const { return problem_.dimension(); }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    out = mean(dimension(), [&](std::size_t k, VectorRef column) {
      problem_.shards[k].gradient(x, sample_of_node(k, sample), column);
    });
  }
  double value(ConstVectorRef x, Sample sample) const requires(!offers.means && offers.values) {
    return mean(1, [&](std::size_t k, VectorRef figure) {
      figure[0] = problem_.shards[k].value(x, sample_of_node(k, sample)).value();
    })[0];
  }
  void mean_gradient(ConstVectorRef x, VectorRef out) const requires(offers.means) {
    out = mean(dimension(),
               [&](std::size_t k, VectorRef column) { problem_.shards[k].mean_gradient(x, column); });
  }
  double mean_value(ConstVectorRef x) const requires(offers.means&& offers.values) {
    return mean(
        1, [&](std::size_t k, VectorRef figure) { figure[0] = problem_.shards[k].mean_value(x).value(); })[0];
  }
  Vector curvature_diagonal() const requires(offers.curvature) {
    return mean(dimension(), [&](std::size_t k, VectorRef column) {
      column = problem_.shards[k].curvature_diagonal().value();
    });
  }

 private:
  Sample sample_of_node(std::size_t k, Sample sample) const {
    const Index count = problem_.shards[k].sample_count();
    const Stream stream(sample, Purpose::network);
    const auto node = static_cast<std::uint64_t>(territory_.first()) + k;
    return count == endless ? stream.bits(node).first : stream.below(static_cast<std::uint64_t>(count), node);
  }
};

// A collective, too.
inline AnyObjective central_objective(const NetworkProblem& problem, const Territory& territory,
                                      Exchange& exchange) {
  const auto all = [&](const auto& offers) {
    return !exchange.any(!std::all_of(problem.shards.begin(), problem.shards.end(), offers));
  };
  const auto choose = [](bool flag, const auto& use) -> AnyObjective {
    return flag ? use(std::true_type()) : use(std::false_type());
  };
  const Vector zero = Vector::Zero(problem.dimension());
  const bool means = all([](const AnyObjective& shard) { return shard.has_exact_mean(); });
  const bool values = all([&](const AnyObjective& shard) {
    return means ? shard.has_value() : shard.value(zero, 0).has_value();
  });
  const bool curved = all([](const AnyObjective& shard) { return shard.curvature_diagonal().has_value(); });
  return choose(means, [&](auto m) {
    return choose(values, [&](auto v) {
      return choose(curved, [&](auto c) -> AnyObjective {
        return CentralObjective<Offers{m, v, c}>(problem, territory, exchange);
      });
    });
  });
}

}  // namespace bridle
