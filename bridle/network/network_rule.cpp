#include "bridle/network/network_rule.hpp"

#include "bridle/core/formatted.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/params/formula.hpp"

namespace bridle {
namespace {

// Curvature of the whole objective, and units in which its columns are alike.
struct WholeFigures {
  Vector columns;
  double curvature = 0;  // L
};

// h lambda_max of the mean of C a a' C over the nodes' rows, by power iteration on about 2,000 of them.
double whole_curvature(const NetworkProblem& problem, const OverNodes& central, Index nodes,
                       const Vector& columns, std::uint64_t seed) {
  const auto most = std::max<Index>(1, 2000 / nodes);
  Vector v(problem.dimension());
  Stream(seed, Purpose::curvature).fill_normal(v, std::uint64_t{1} << 42);
  double eigenvalue = 0;
  for (int k = 0; k < 12; ++k) {
    const Vector scaled = columns.cwiseProduct(v.normalized());
    v = columns.cwiseProduct(central.mean(problem.dimension(), [&](std::size_t node, VectorRef image) {
      const Features& features = problem.shards[node].as_linear_model()->features();
      const Index rows = std::min(most, features.rows());
      image.setZero();
      for (Index r = 0; r < rows; ++r) {
        const Index i = r * features.rows() / rows;
        features.add_row(i, features.dot(i, scaled) / static_cast<double>(rows), image);
      }
    }));
    eigenvalue = v.norm();
    if (!(eigenvalue > 0)) break;
  }
  return eigenvalue;
}

// Linear models whose samples disagree: figures of the data, each node's from its own. Nothing otherwise.
std::optional<WholeFigures> figures_of_data(const NetworkProblem& problem, const Territory& territory,
                                            Exchange& exchange, std::uint64_t seed) {
  const bool linear = std::all_of(problem.shards.begin(), problem.shards.end(),
                                  [](const AnyObjective& shard) { return shard.as_linear_model(); });
  if (exchange.any(!linear)) return std::nullopt;
  const OverNodes central(problem, territory, exchange);
  const auto model = [&](std::size_t node) { return problem.shards[node].as_linear_model(); };
  ColumnStatistics all;
  all.frequency = central.mean(problem.dimension(), [&](std::size_t node, VectorRef out) {
    out = model(node)->column_statistics().frequency;
  });
  const Vector squares = central.mean(problem.dimension(), [&](std::size_t node, VectorRef out) {
    const ColumnStatistics& own = model(node)->column_statistics();
    out = own.frequency.cwiseProduct(own.magnitude.cwiseAbs2());
  });
  all.rows = static_cast<double>(territory.nodes()) * central.mean(1, [&](std::size_t node, VectorRef out) {
    const double weight = problem.weights[node];  // that the mean gives it
    out[0] = weight > 0 ? static_cast<double>(model(node)->sample_count()) / weight : 0;
  })[0];
  all.magnitude = (all.frequency.array() > 0).select(squares.cwiseQuotient(all.frequency).cwiseSqrt(), 0.0);

  WholeFigures out{typical_columns(all), 0};
  problem.set.make_admissible(out.columns);
  const double loss = loss_curvature(model(0)->loss());
  const double single = central.mean(1, [&](std::size_t node, VectorRef figure) {
    figure[0] = model(node)->mean_squared_norm(out.columns);
  })[0];
  const double mean = whole_curvature(problem, central, territory.nodes(), out.columns, seed);
  if (!is_noisy(single, mean)) return std::nullopt;
  out.curvature = loss * mean;
  return out;
}

// Any other objective: figures from differences of gradients.
WholeFigures figures_of_gradients(const NetworkProblem& problem, const Territory& territory,
                                  Exchange& exchange, std::uint64_t seed) {
  const Problem whole = problem.over_set(central_objective(problem, territory, exchange));
  const Vector start = whole.starting_point();
  const auto stage = AutomaticRule(whole, 1e6, {}, seed).next({start, start, {}, {}, {}}, {}, 1e6);
  return {stage->scaling.columns, stage->curvature};
}

// R_i: how much the gradient of a batch of a shard's samples bends, in the mean. Single samples bend more
// than their mean does, by what a batch of B divides by B.
double shard_curvature(const NetworkProblem& problem, const AnyObjective& shard, const Scaling& scaling,
                       const NetworkTraits& traits) {
  if (const LinearModel* model = shard.as_linear_model()) {
    const double ridge =
        model->ridge().size() ? model->ridge().cwiseProduct(scaling.columns.cwiseAbs2()).maxCoeff() : 0;
    const double single = loss_curvature(model->loss()) * model->mean_squared_norm(scaling.columns);
    if (traits.batch == 1) return single + ridge;
    const double mean = linear_model_curvature(*model, scaling.columns, traits.seed);
    return mean + std::max(0.0, single - mean) / static_cast<double>(traits.batch) + ridge;
  }
  const StandardForm form(problem.over_set(shard), scaling);
  const Vector start = form.to_standard(form.problem().starting_point(), {});
  return estimate_curvature(form, start, 16, 8, traits.seed, 0).curvature;
}

// |grad f_i| at the start, in the scaled variables.
double gradient_at_start(const NetworkProblem& problem, const AnyObjective& shard, const Scaling& scaling) {
  constexpr Index most = 200;
  const Vector start = problem.over_set(shard).starting_point();
  Vector one(start.size()), mean = Vector::Zero(start.size());
  const Index count = shard.sample_count() == endless ? most : std::min(most, shard.sample_count());
  for (Index k = 0; k < count; ++k) {
    shard.gradient(start, static_cast<Sample>(k), one);
    mean += one / static_cast<double>(count);
  }
  return mean.cwiseProduct(scaling.columns).norm();
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
  const double calm = std::sqrt(2 * p.rho * eigenvalues.smallest / growth);
  if (calm >= p.eta) return;
  p.eta = calm;
  for (auto& reason : reasons)
    if (reason.symbol == "eta")
      reason = {"eta", p.eta, "so small that multipliers along cycles do not blow up"};
}

}  // namespace

NetworkPlan network_plan(const NetworkProblem& problem, const NetworkTraits& traits,
                         const Territory& territory, Exchange& exchange) {
  NetworkPlan plan;
  auto whole = figures_of_data(problem, territory, exchange, traits.seed);
  if (!whole) whole = figures_of_gradients(problem, territory, exchange, traits.seed);
  plan.scaling.columns = whole->columns;
  const double curvature = whole->curvature;  // L
  Matrix bends(1, territory.hosted()), gradients(1, territory.hosted());
  for (Index k = 0; k < territory.hosted(); ++k) {
    const auto node = static_cast<std::size_t>(k);
    bends(0, k) =
        problem.weights[node] * shard_curvature(problem, problem.shards[node], plan.scaling, traits);
    gradients(0, k) = gradient_at_start(problem, problem.shards[node], plan.scaling);
  }
  const double sample_curvature = std::max(curvature, exchange.largest(bends));  // R

  const Connectivity graph = connectivity(problem.graph);
  const Formula L("L", curvature), R("R", sample_curvature), A2("|A|^2", graph.largest),
      gap("gap", graph.smallest), spread("spread", spread_of_draws(graph, traits.literal_draws));
  const Formula tau = traits.step > 0 ? Formula("given", traits.step) : network_tau / R;
  const Formula t = tau.as("tau"), mu = network_mu * L, rho = network_rho / (t * (A2 + spread));
  const Formula eta = t * squared(rho.as("rho")) * gap / damping, beta = network_beta * t * mu.as("mu");
  Parameters p =
      ParameterFormulas{tau, eta, beta, mu, rho, traits.carries_estimate ? storm_alpha : 1.0}.values();
  const Vector start = problem.over_set(problem.shards.front()).starting_point();
  plan.dual_bound =
      dual_bound_factor * (exchange.largest(gradients) +
                           sample_curvature * (1 + start.cwiseQuotient(plan.scaling.columns).norm()));
  plan.reasons = {{"L", curvature, "largest curvature of the whole objective"},
                  {"R", sample_curvature, "largest mean curvature of a node's batches"},
                  {"|A|^2", graph.largest, "largest eigenvalue of the graph, edges weighted by p^2"},
                  {"gap", graph.smallest, "smallest eigenvalue of the graph but 0"},
                  {"spread", spread.value(),
                   traits.literal_draws ? "of the graph over draws: three draws"
                                        : "of the graph over draws: 2 max p(1 - p)"},
                  tau.reason("tau", traits.decay == Decay::cosine ? ", cosine decay to 0" : ""),
                  mu.reason("mu"),
                  rho.reason("rho", ": a draw does not overshoot in the mean square"),
                  eta.reason("eta", ": the slowest disagreement is damped critically"),
                  beta.reason("beta"),
                  {"M_y", plan.dual_bound,
                   formatted("%g (|gradient| + R (1 + |x|)), over p on a link: far above sound multipliers",
                             dual_bound_factor.value)}};
  if (traits.carries_estimate)
    plan.reasons.push_back({"alpha", p.alpha, "STORM's momentum at full step; falls with tau"});
  if (traits.literal_draws) calm_cycles(problem.graph, graph, traits.iterations, p, plan.reasons);
  plan.stage = {p, {traits.decay}, traits.iterations};
  return plan;
}

}  // namespace bridle
