// Parameters of the decentralised loops: from the curvature of the shards and the eigenvalues of the graph.
#pragma once

#include "bridle/network/central_objective.hpp"
#include "bridle/params/parameters.hpp"
#include "bridle/scaling/standard_form.hpp"

namespace bridle {

struct NetworkPlan {
  Scaling scaling;  // one for all nodes: consensus needs common units
  Stage stage;
  double dual_bound = 0;  // M_y of a link of probability 1
  Reasons reasons;
};

// What the rule must know of the loop it chooses for.
struct NetworkTraits {
  std::uint64_t iterations = 1;
  Index batch = 1;
  bool carries_estimate = false;  // STORM: alpha is wanted
  bool literal_draws = false;     // y is seen through a draw
  std::uint64_t seed = 1;
  double step = 0;  // tau, when it is given
  Decay decay = Decay::cosine;
};

// A collective: every rank finds the same plan.
NetworkPlan network_plan(const NetworkProblem& problem, const NetworkTraits& traits,
                         const Territory& territory, Exchange& exchange);

}  // namespace bridle
