#include "bridle/apps/consensus/shards.hpp"

#include <algorithm>
#include <numeric>

#include "bridle/core/sampling.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

// The rows in the order in which they are cut into shards.
std::vector<Index> order_of_rows(const LinearModel& model, Shards shards, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(model.sample_count()));
  std::iota(order.begin(), order.end(), Index{0});
  if (shards == Shards::by_label) {
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return model.labels()[a] > model.labels()[b]; });
  } else {
    const KeyedPermutation shuffle(order.size(), seed);
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(shuffle(k));
  }
  return order;
}

NetworkProblem without_shards(const Problem& problem, Graph graph) {
  refuse_rows(problem);
  return {{}, {}, std::move(graph), problem.set(), problem.starting_point(), problem.variable_names()};
}

void add_shard(const LinearModel& model, const std::vector<Index>& rows, double even, NetworkProblem& out) {
  out.shards.emplace_back(model.part(rows));
  out.weights.push_back(static_cast<double>(rows.size()) / even);
}

}  // namespace

void refuse_rows(const Problem& problem) {
  if (problem.row_count() > 0)
    throw InputError(
        "a problem over a network has no rows besides consensus: state x in X by bounds, "
        "simplex, l1 ball or ordered variables");
}

NetworkProblem deal_out(const Problem& whole, Graph graph, Shards shards, const Territory& territory,
                        std::uint64_t seed) {
  NetworkProblem out = without_shards(whole, std::move(graph));
  const LinearModel* model = whole.objective().as_linear_model();
  if (!model && shards != Shards::equal) throw InputError("shards by label need the data of a linear model");
  if (!model) {
    out.shards.assign(static_cast<std::size_t>(territory.hosted()), whole.objective());
    out.weights.assign(out.shards.size(), 1.0);
    return out;
  }
  const Index samples = model->sample_count(), nodes = territory.nodes();
  if (samples < nodes)
    throw InputError(std::to_string(samples) + " samples cannot be dealt out to " + std::to_string(nodes) +
                     " nodes");
  const std::vector<Index> order = order_of_rows(*model, shards, seed);
  for (Index k = 0; k < territory.hosted(); ++k) {
    const Index node = territory.first() + k;
    const std::vector<Index> rows(order.begin() + node * samples / nodes,
                                  order.begin() + (node + 1) * samples / nodes);
    add_shard(*model, rows, static_cast<double>(samples) / static_cast<double>(nodes), out);
  }
  return out;
}

NetworkProblem deal_out_files(const Problem& hosted, Graph graph, const std::vector<Index>& file_rows,
                              Index samples) {
  if (!hosted.objective().as_linear_model())
    throw InputError("shards by file need the data of a linear model");
  const double even = static_cast<double>(samples) / static_cast<double>(graph.nodes);
  NetworkProblem out = without_shards(hosted, std::move(graph));
  Index first = 0;
  for (const Index count : file_rows) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), first);
    first += count;
    add_shard(*hosted.objective().as_linear_model(), rows, even, out);
  }
  return out;
}

}  // namespace bridle
