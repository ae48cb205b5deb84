#include "bridle/apps/consensus/shards.hpp"

#include <algorithm>
#include <numeric>

#include "bridle/core/sampling.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

SparseRows pick_rows(const SparseRows& data, const std::vector<Index>& rows) {
  SparseRows out(static_cast<Index>(rows.size()), data.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    out.startVec(static_cast<Index>(k));
    for (SparseRows::InnerIterator it(data, rows[k]); it; ++it)
      out.insertBack(static_cast<Index>(k), it.col()) = it.value();
  }
  out.finalize();
  return out;
}

template <class Scalar>
DenseRows<Scalar> pick_rows(const DenseRows<Scalar>& data, const std::vector<Index>& rows) {
  return data(rows, Eigen::all);
}

LinearModel shard_of(const LinearModel& model, const std::vector<Index>& rows) {
  Features features = std::visit([&](const auto& data) { return Features(pick_rows(data, rows)); },
                                 model.features().storage());
  return {std::move(features), model.labels()(rows), model.loss(), model.ridge(), model.variable_names()};
}

// The rows in the order in which they are cut into shards.
std::vector<Index> order_of_rows(const LinearModel& model, Shards shards, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(model.sample_count()));
  std::iota(order.begin(), order.end(), Index{0});
  if (shards == Shards::by_label) {
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return model.labels()[a] > model.labels()[b]; });
  } else if (shards == Shards::equal) {
    const KeyedPermutation shuffle(order.size(), seed);
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(shuffle(k));
  }
  return order;
}

NetworkProblem copies(Problem whole, Graph graph) {
  const auto nodes = static_cast<std::size_t>(graph.nodes);
  std::vector<AnyObjective> shards(nodes, whole.objective());
  return {std::move(whole), std::move(shards), std::vector<double>(nodes, 1.0), std::move(graph)};
}

// Rows of every node, the order cut into pieces of the given sizes.
std::vector<std::vector<Index>> cut(const std::vector<Index>& order, const std::vector<Index>& sizes) {
  std::vector<std::vector<Index>> out;
  auto at = order.begin();
  for (const Index size : sizes) {
    out.emplace_back(at, at + size);
    at += size;
  }
  return out;
}

std::vector<Index> even_sizes(Index samples, Index nodes) {
  std::vector<Index> out;
  for (Index i = 0; i < nodes; ++i) out.push_back((i + 1) * samples / nodes - i * samples / nodes);
  return out;
}

NetworkProblem deal_out(Problem whole, Graph graph, const std::vector<std::vector<Index>>& rows) {
  const LinearModel& model = *whole.objective().as_linear_model();
  std::vector<AnyObjective> shards;
  std::vector<double> weights;
  const double even = static_cast<double>(model.sample_count()) / static_cast<double>(graph.nodes);
  for (const auto& mine : rows) {
    shards.emplace_back(shard_of(model, mine));
    weights.push_back(static_cast<double>(mine.size()) / even);
  }
  return {std::move(whole), std::move(shards), std::move(weights), std::move(graph)};
}

}  // namespace

NetworkProblem deal_out(Problem whole, Graph graph, Shards shards, const std::vector<Index>& file_rows,
                        std::uint64_t seed) {
  const LinearModel* model = whole.objective().as_linear_model();
  if (!model && shards != Shards::equal)
    throw InputError("shards by label or by file need the data of a linear model");
  if (!model) return copies(std::move(whole), std::move(graph));
  if (shards == Shards::by_file && static_cast<Index>(file_rows.size()) != graph.nodes)
    throw InputError("shards by file: " + std::to_string(file_rows.size()) + " data files for " +
                     std::to_string(graph.nodes) + " nodes");
  if (model->sample_count() < graph.nodes)
    throw InputError(std::to_string(model->sample_count()) + " samples cannot be dealt out to " +
                     std::to_string(graph.nodes) + " nodes");
  const std::vector<Index> order = order_of_rows(*model, shards, seed);
  const auto rows =
      cut(order, shards == Shards::by_file ? file_rows : even_sizes(model->sample_count(), graph.nodes));
  return deal_out(std::move(whole), std::move(graph), rows);
}

}  // namespace bridle
