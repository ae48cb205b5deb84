#include "bridle/network/network_rule.hpp"

#include "bridle/params/automatic.hpp"

namespace bridle {
namespace {

// R_i: how much the gradient of a batch of a shard's samples bends, in the mean. Single samples bend more
// than their mean does, by what a batch of B divides by B.
double shard_curvature(const NetworkProblem& problem, std::size_t node, const Scaling& scaling,
                       const NetworkTraits& traits) {
  const AnyObjective& shard = problem.shards[node];
  if (const LinearModel* model = shard.as_linear_model()) {
    const double ridge =
        model->ridge().size() ? model->ridge().cwiseProduct(scaling.columns.cwiseAbs2()).maxCoeff() : 0;
    const double single = loss_curvature(model->loss()) * model->mean_squared_norm(scaling.columns);
    if (traits.batch == 1) return single + ridge;
    const double mean = linear_model_curvature(*model, scaling.columns, traits.seed);
    return mean + std::max(0.0, single - mean) / static_cast<double>(traits.batch) + ridge;
  }
  const StandardForm form(Problem(shard).within(problem.whole.set()), scaling);
  const Vector start = form.to_standard(problem.whole.starting_point(), {});
  return estimate_curvature(form, start, 16, 8, traits.seed, 0).curvature;
}

// Largest |grad f_i| over the nodes at the start, in the scaled variables.
double largest_gradient(const NetworkProblem& problem, const Scaling& scaling) {
  constexpr Index most = 200;
  double out = 0;
  const Vector start = problem.whole.starting_point();
  Vector one(start.size());
  for (const auto& shard : problem.shards) {
    Vector mean = Vector::Zero(start.size());
    const Index count = shard.sample_count() == endless ? most : std::min(most, shard.sample_count());
    for (Index k = 0; k < count; ++k) {
      shard.gradient(start, static_cast<Sample>(k), one);
      mean += one / static_cast<double>(count);
    }
    out = std::max(out, mean.cwiseProduct(scaling.columns).norm());
  }
  return out;
}

// E[L_zeta^2] <= L^2 + spread L for the Laplacian L_zeta of a draw and its mean L: one factor p of an edge is
// known and one drawn, or both are drawn.
double spread_of_draws(const Connectivity& graph, bool literal_draws) {
  return literal_draws ? 2 : 2 * graph.largest_chance;
}

// A graph with cycles has no full row rank: multipliers wander along the cycles, where nothing pulls them
// back. Seen through a draw they shake x, and that makes them wander more: eta is kept so small that over the
// whole run this grows by a factor e at most.
void calm_cycles(const Graph& graph, const Connectivity& eigenvalues, std::uint64_t iterations, Parameters& p,
                 Reasons& reasons) {
  Vector shaking = Vector::Zero(graph.nodes);
  for (const Edge& edge : graph.edges)
    for (const Index end : {edge.from, edge.to})
      shaking[end] += edge.probability * edge.probability * (1 - edge.probability);
  const double growth = static_cast<double>(iterations) * p.tau * shaking.maxCoeff();
  if (!(growth > 0)) return;
  p.eta = std::min(p.eta, std::sqrt(2 * p.rho * eigenvalues.smallest / growth));
  for (auto& reason : reasons)
    if (reason.symbol == "eta")
      reason = {"eta", p.eta, "so small that multipliers along cycles do not blow up"};
}

}  // namespace

NetworkPlan network_plan(const NetworkProblem& problem, const NetworkTraits& traits) {
  NetworkPlan plan;
  const Vector start = problem.whole.starting_point();
  AutomaticRule central(problem.whole, 1e6, {}, traits.seed);
  const auto stage = central.next({start, start, {}, {}, {}}, {}, 1e6);
  plan.scaling.columns = stage->scaling.columns;
  const double curvature = stage->curvature;  // L
  double sample_curvature = curvature;        // R
  for (std::size_t i = 0; i < problem.shards.size(); ++i)
    sample_curvature =
        std::max(sample_curvature, problem.weights[i] * shard_curvature(problem, i, plan.scaling, traits));

  const Connectivity graph = connectivity(problem.graph);
  Parameters p;
  p.tau = traits.step > 0 ? traits.step : 0.5 / sample_curvature;
  p.mu = 0.2 * curvature;
  p.rho = 0.5 / (p.tau * (graph.largest + spread_of_draws(graph, traits.literal_draws)));
  p.eta = p.tau * p.rho * p.rho * graph.smallest / 4;
  p.beta = 4 * p.tau * p.mu;
  if (traits.carries_estimate) p.alpha = 0.2;
  const double gradient = largest_gradient(problem, plan.scaling);
  plan.dual_bound =
      1000 * (gradient + sample_curvature * (1 + start.cwiseQuotient(plan.scaling.columns).norm()));
  plan.reasons = {{"L", curvature, "largest curvature of the whole objective"},
                  {"R", sample_curvature, "largest mean curvature of a node's batches"},
                  {"|A|^2", graph.largest, "largest eigenvalue of the graph, edges weighted by p^2"},
                  {"gap", graph.smallest, "smallest eigenvalue of the graph but 0"},
                  {"tau", p.tau, traits.step > 0 ? "given" : "0.5/R, cosine decay to 0"},
                  {"mu", p.mu, "0.2 L"},
                  {"rho", p.rho,
                   traits.literal_draws
                       ? "0.5/(tau (|A|^2 + 2)): three draws do not overshoot in the mean square"
                       : "0.5/(tau (|A|^2 + 2 max p(1 - p))): a draw does not overshoot in the mean square"},
                  {"eta", p.eta, "tau rho^2 gap / 4: the slowest disagreement is damped critically"},
                  {"beta", p.beta, "4 tau mu"},
                  {"M_y", plan.dual_bound,
                   "1000 (|gradient| + R (1 + |x|)), over p on a link: far above sound multipliers"}};
  if (traits.carries_estimate) plan.reasons.push_back({"alpha", p.alpha, "0.2, falling with the steps"});
  if (traits.literal_draws) calm_cycles(problem.graph, graph, traits.iterations, p, plan.reasons);
  plan.stage = {p, {Decay::cosine}, traits.iterations};
  return plan;
}

}  // namespace bridle
