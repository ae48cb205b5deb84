#include <cmath>

#include <ClpSimplex.hpp>
#include <gtest/gtest.h>

#include "bridle/apps/slicing/chain_bound.hpp"
#include "bridle/apps/slicing/chain_program.hpp"
#include "bridle/apps/slicing/chain_search.hpp"
#include "bridle/apps/slicing/concave_charge.hpp"
#include "bridle/apps/slicing/local_search.hpp"
#include "bridle/apps/slicing/relaxation.hpp"

#include "tests/apps/slice_instances.hpp"

namespace bridle {
namespace {

TEST(ShortestPaths, AreAsShortAsFloydsAndConnected) {
  const SliceInstance instance = ring_instance({.flows = 3, .seed = 1});
  const Vector price = random_prices(instance, 5);
  const ShortestPaths paths = shortest_paths(instance, price);
  Matrix floyd = Matrix::Constant(6, 6, infinity);
  for (Index i = 0; i < 6; ++i) floyd(i, i) = 0;
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    floyd(static_cast<Index>(instance.links[l].from), static_cast<Index>(instance.links[l].to)) =
        price[static_cast<Index>(l)];
  for (Index via = 0; via < 6; ++via)
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < 6; ++j) floyd(i, j) = std::min(floyd(i, j), floyd(i, via) + floyd(via, j));
  EXPECT_LT((floyd - paths.length).cwiseAbs().maxCoeff(), 1e-12);
  for (std::size_t from = 0; from < 6; ++from)
    for (std::size_t to = 0; to < 6; ++to) {
      double sum = 0;
      std::size_t at = from;
      for (const std::size_t l : paths.links(instance, from, to)) {
        ASSERT_EQ(instance.links[l].from, at);
        at = instance.links[l].to;
        sum += price[static_cast<Index>(l)];
      }
      EXPECT_EQ(at, to);
      EXPECT_NEAR(sum, paths.length(static_cast<Index>(from), static_cast<Index>(to)), 1e-12);
    }
}

TEST(ChainSearch, FindsTheBestOfAllHostings) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 6, .seed = seed});
    const ShortestPaths paths = shortest_paths(instance, random_prices(instance, seed));
    for (const auto& flow : instance.flows) {
      ChainSearch search(instance, flow);
      search.set_lengths(paths.length);
      const auto fee = [&](std::size_t s, std::size_t node) {
        return 0.1 * static_cast<double>((s + 2 * node) % 5);
      };
      double least = infinity;
      Hosting begun;
      all_hostings(instance, flow, begun, [&](const Hosting& hosting) {
        double cost = search.cost(hosting);
        for (std::size_t s = 0; s < hosting.size(); ++s) cost += fee(s, hosting[s]);
        least = std::min(least, cost);
      });
      double limit = infinity;
      Hosting best;
      ASSERT_TRUE(search.best(limit, fee, best));
      EXPECT_NEAR(limit, least, 1e-12);
      double lower = least - 1e-9;  // nothing costs less than the least
      EXPECT_FALSE(search.best(lower, fee, best));
    }
  }
}

// The value that prices prove, by itself. With hop = 0 a positive value proves infeasibility.
double proven_bound(const SliceInstance& instance, const CapacityPrices& prices, double hop = 1) {
  ChainPricing pricing(instance);
  pricing.set(prices, hop);
  double sum = -worth(instance, prices, ChainGoal::cost);
  Hosting hosting;
  for (std::size_t k = 0; k < instance.flows.size(); ++k) sum += pricing.cheapest(k, hosting);
  return sum;
}

TEST(ChainBound, ProvesWhatItSays) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const SliceInstance instance = ring_instance({.flows = 10, .tight = true, .seed = seed});
    const ChainBound bound = bound_cost(instance);
    ASSERT_FALSE(bound.infeasible);
    EXPECT_NEAR(proven_bound(instance, bound.prices), bound.value, 1e-9 * bound.value);
    EXPECT_GE(bound.prices.links.minCoeff(), 0);
    for (std::uint64_t trial = 0; trial < 5; ++trial) {
      LocalSearch search(instance, trial, [] { return false; });
      const Placed placed = search.improve(random_placement(instance, trial), 0);
      EXPECT_GE(placed.feasible() ? placed.cost : infinity, bound.value * (1 - 1e-9));
    }
  }
}

TEST(ChainBound, NamesTheCapacitiesThatConflict) {
  SliceInstance instance = line_instance();
  instance.links[2].capacity = 1.25;  // B -> C; A -> C must pass it
  instance.links[1].capacity = 0;     // no part of the contradiction
  const ChainBound bound = bound_cost(instance);
  ASSERT_TRUE(bound.infeasible);
  EXPECT_EQ(bound.conflict, (Names{"link B -> C (capacity 1.25)"}));
  EXPECT_GT(proven_bound(instance, bound.prices, 0), 0);
  instance.links[2].capacity = 2;
  EXPECT_FALSE(bound_cost(instance).infeasible);
  instance.nodes[1].capacity = instance.nodes[2].capacity = 1.5;  // no host is large enough for the flow
  const ChainBound small = bound_cost(instance);
  ASSERT_TRUE(small.infeasible);
  EXPECT_EQ(small.conflict.size(), 2u);
}

TEST(ChainBound, SmallestUniformCapacity) {
  SliceInstance instance = line_instance();
  EXPECT_NEAR(smallest_uniform_capacity(instance), 2, 1e-9);
  instance.flows.push_back({"flow2", 0, 1, 1, {0}});  // from A to B, f on the way
  EXPECT_NEAR(smallest_uniform_capacity(instance), 3, 1e-9);
}

TEST(ConcaveCharge, GradientIsTheValuesAndOneHostIsLeastCharged) {
  const SliceInstance instance = ring_instance({.flows = 3, .seed = 2});
  const Formulation formulation(instance);
  const ConcaveCharge charge(formulation, 0.7);
  Vector x(formulation.variables()), gradient(x.size()), slope(x.size());
  for (Index j = 0; j < x.size(); ++j)
    x[j] = Stream(1, Purpose::generator).uniform(static_cast<std::uint64_t>(j));
  charge.gradient(x, 0, gradient);
  const double h = 1e-6;
  for (Index j = 0; j < x.size(); ++j) {
    Vector up = x, down = x;
    up[j] += h;
    down[j] -= h;
    slope[j] = (charge.value(up, 0) - charge.value(down, 0)) / (2 * h);
  }
  EXPECT_LT((slope - gradient).cwiseAbs().maxCoeff(), 1e-7);
  Vector split = Vector::Zero(x.size()), whole = split;
  const auto& choice = formulation.choices().front();
  whole[choice.first] = 1;
  split[choice.first] = split[choice.first + 1] = 0.5;
  EXPECT_LT(charge.value(whole, 0), charge.value(split, 0));
}

// The value of the relaxation by Clp.
double linear_program_value(const Formulation& formulation) {
  ClpSimplex clp;
  clp.setLogLevel(0);
  clp.resize(0, static_cast<int>(formulation.variables()));
  for (int j = 0; j < clp.numberColumns(); ++j) {
    clp.setColumnBounds(j, 0, 1);
    clp.setObjectiveCoefficient(j, formulation.cost(j));
  }
  for (const Rows* rows : {&formulation.structure(), &formulation.capacities()})
    for (Index i = 0; i < rows->count(); ++i) {
      std::vector<int> columns;
      std::vector<double> values;
      for (SparseRows::InnerIterator it(rows->matrix, i); it; ++it) {
        columns.push_back(static_cast<int>(it.col()));
        values.push_back(it.value());
      }
      clp.addRow(static_cast<int>(columns.size()), columns.data(), values.data(),
                 std::max(rows->lower[i], -COIN_DBL_MAX), rows->upper[i]);
    }
  clp.dual();
  return clp.status() == 0 ? clp.objectiveValue() : infinity;
}

TEST(Relaxation, FirstStageSolvesTheLinearProgram) {
  for (const bool tight : {false, true}) {
    const SliceInstance instance = ring_instance({.flows = 8, .tight = tight, .seed = 1});
    const Formulation formulation(instance);
    const StagePoint point = Relaxation(formulation).start(1);
    ASSERT_EQ(point.x.size(), formulation.variables());
    for (const Rows* rows : {&formulation.structure(), &formulation.capacities()}) {
      const Vector activity = rows->matrix * point.x;
      EXPECT_LT((activity - activity.cwiseMax(rows->lower).cwiseMin(rows->upper)).cwiseAbs().maxCoeff(),
                0.05);
    }
    const double value = linear_program_value(formulation);
    EXPECT_NEAR(formulation.costs().dot(point.x), value, 0.01 * value);
    // Whole chains give a bound that is no worse.
    EXPECT_GE(bound_cost(instance).value, value * (1 - 1e-6));
  }
}

TEST(Relaxation, StagesDecideWhereFunctionsRun) {
  const SliceInstance instance = ring_instance({.flows = 8, .seed = 1});
  const Formulation formulation(instance);
  const Relaxation relaxation(formulation);
  const StagePoint first = relaxation.start(1);
  StagePoint last = first;
  relaxation.continue_from(first, 1, [&](const StagePoint& point) {
    EXPECT_GT(point.sigma, last.sigma);
    last = point;
    return true;
  });
  EXPECT_GT(last.decided, 0.8);
  EXPECT_GE(last.decided, first.decided);
}

}  // namespace
}  // namespace bridle
