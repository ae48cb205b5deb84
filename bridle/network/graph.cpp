#include "bridle/network/graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

std::string edge_name(const Edge& edge) {
  return "edge (" + std::to_string(edge.from) + ", " + std::to_string(edge.to) + ")";
}

// The pieces of the graph by union-find: the root of every node.
std::vector<Index> pieces(const Graph& graph) {
  std::vector<Index> parent(static_cast<std::size_t>(graph.nodes));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index i) {
    while (parent[static_cast<std::size_t>(i)] != i) {
      auto& above = parent[static_cast<std::size_t>(i)];
      i = above = parent[static_cast<std::size_t>(above)];
    }
    return i;
  };
  for (const Edge& edge : graph.edges) parent[static_cast<std::size_t>(root(edge.from))] = root(edge.to);
  for (Index i = 0; i < graph.nodes; ++i) parent[static_cast<std::size_t>(i)] = root(i);
  return parent;
}

constexpr double most_edges = 1e7;            // a few gigabytes with what the nodes exchange over them
constexpr Index most_nodes_in_pairs = 20000;  // whose pairs are gone through in seconds

// All pairs of nodes for which `joined` holds, a part `density` of them or so. What would fill the memory is
// refused before it does.
template <class Joined>
Graph pairs(const GraphRecipe& recipe, double density, Joined&& joined) {
  const auto count = static_cast<double>(recipe.nodes);
  if (const double edges = density * count * (count - 1) / 2; edges > most_edges)
    throw InputError("a graph of this kind with " + std::to_string(recipe.nodes) + " nodes has about " +
                     std::to_string(static_cast<std::uint64_t>(edges)) +
                     " edges; at most 10000000 are allowed");
  if (recipe.nodes > most_nodes_in_pairs)
    throw InputError("a graph of this kind may have at most " + std::to_string(most_nodes_in_pairs) +
                     " nodes, not " + std::to_string(recipe.nodes) + ": all their pairs are gone through");
  Graph graph{recipe.nodes, {}};
  for (Index i = 0; i < recipe.nodes; ++i)
    for (Index j = i + 1; j < recipe.nodes; ++j)
      if (joined(i, j)) graph.edges.push_back({i, j, recipe.probability});
  return graph;
}

Graph make_ring(const GraphRecipe& recipe) {
  Graph graph{recipe.nodes, {}};
  for (Index i = 0; i + 1 < recipe.nodes; ++i) graph.edges.push_back({i, i + 1, recipe.probability});
  if (recipe.nodes > 2) graph.edges.push_back({0, recipe.nodes - 1, recipe.probability});
  return graph;
}

// Rows of equal length, as near to a square as they come; the last row may be shorter.
Graph make_grid(const GraphRecipe& recipe) {
  Graph graph{recipe.nodes, {}};
  const auto width = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(recipe.nodes))));
  for (Index i = 0; i < recipe.nodes; ++i) {
    if ((i + 1) % width != 0 && i + 1 < recipe.nodes) graph.edges.push_back({i, i + 1, recipe.probability});
    if (i + width < recipe.nodes) graph.edges.push_back({i, i + width, recipe.probability});
  }
  return graph;
}

Graph make_complete(const GraphRecipe& recipe) {
  return pairs(recipe, 1, [](Index, Index) { return true; });
}

Graph make_star(const GraphRecipe& recipe) {
  Graph graph{recipe.nodes, {}};
  for (Index j = 1; j < recipe.nodes; ++j) graph.edges.push_back({0, j, recipe.probability});
  return graph;
}

Graph make_erdos_renyi(const GraphRecipe& recipe) {
  const Stream stream(recipe.seed, Purpose::network);
  return pairs(recipe, recipe.density, [&](Index i, Index j) {
    return stream.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(j)) < recipe.density;
  });
}

// The default radius gives every node 2 log N neighbours or so: connected with high probability.
Graph make_geometric(const GraphRecipe& recipe) {
  const Stream stream(recipe.seed, Purpose::network);
  const auto count = static_cast<double>(recipe.nodes);
  const double radius =
      recipe.radius > 0 ? recipe.radius : std::sqrt(2 * std::log(count + 1) / (std::numbers::pi * count));
  const auto place = [&](Index i) {
    const auto counter = static_cast<std::uint64_t>(i);
    return Eigen::Vector2d(stream.uniform(counter, 0), stream.uniform(counter, 1));
  };
  const double density = std::min(1.0, std::numbers::pi * radius * radius);
  return pairs(recipe, density, [&](Index i, Index j) { return (place(i) - place(j)).norm() < radius; });
}

}  // namespace

void Graph::check() const {
  if (nodes < 1) throw InputError("a network needs at least one node");
  std::set<std::pair<Index, Index>> seen;
  for (const Edge& edge : edges) {
    if (edge.from < 0 || edge.to < 0 || edge.from >= nodes || edge.to >= nodes || edge.from == edge.to)
      throw InputError(edge_name(edge) + " does not join two of the nodes 0, ..., " +
                       std::to_string(nodes - 1));
    if (!(edge.probability > 0) || edge.probability > 1)
      throw InputError(edge_name(edge) + " is up with probability " + std::to_string(edge.probability) +
                       "; it must be in (0, 1]");
    if (!seen.insert(std::minmax(edge.from, edge.to)).second)
      throw InputError(edge_name(edge) + " is there twice");
  }
  const std::vector<Index> piece = pieces(*this);
  for (Index i = 1; i < nodes; ++i)
    if (piece[static_cast<std::size_t>(i)] != piece[0])
      throw InputError("the graph falls apart: no path of edges leads from node 0 to node " +
                       std::to_string(i));
}

const std::vector<GraphKind>& all_graphs() {
  static const std::vector<GraphKind> graphs = {
      {"ring", "every node has two neighbours", make_ring},
      {"grid", "a square grid, the last row possibly shorter", make_grid},
      {"complete", "every pair of nodes", make_complete},
      {"star", "node 0 has all others as neighbours", make_star},
      {"erdos-renyi",
       "every pair is up with `probability`, drawn anew in every iteration; with `density`, a "
       "random choice of pairs",
       make_erdos_renyi},
      {"geometric", "random points of the unit square that are closer than `radius`", make_geometric},
  };
  return graphs;
}

const GraphKind* find_graph(std::string_view name) {
  for (const auto& entry : all_graphs())
    if (entry.name == name) return &entry;
  return nullptr;
}

namespace {

// out = Laplacian with weights p^2, times v
void apply_laplacian(const Graph& graph, const Vector& v, Vector& out) {
  out.setZero(v.size());
  for (const Edge& edge : graph.edges) {
    const double flow = edge.probability * edge.probability * (v[edge.from] - v[edge.to]);
    out[edge.from] += flow;
    out[edge.to] -= flow;
  }
}

// Largest eigenvalue of shift I + sign * Laplacian on the disagreements (vectors of mean 0).
double power_iteration(const Graph& graph, double shift, double sign, int iterations) {
  Vector v(graph.nodes), image(graph.nodes);
  Stream(1, Purpose::network).fill_normal(v, ~std::uint64_t{0});
  double value = 0;
  for (int k = 0; k < iterations; ++k) {
    v.array() -= v.mean();
    v.normalize();
    apply_laplacian(graph, v, image);
    image = shift * v + sign * image;
    value = v.dot(image);
    v = image;
  }
  return value;
}

}  // namespace

Connectivity connectivity(const Graph& graph) {
  Connectivity out;
  if (graph.nodes < 2) return {1, 1, 0};
  // Gershgorin bounds the largest eigenvalue: twice the largest weighted degree.
  Vector degree = Vector::Zero(graph.nodes);
  for (const Edge& edge : graph.edges) {
    degree[edge.from] += edge.probability * edge.probability;
    degree[edge.to] += edge.probability * edge.probability;
    out.largest_chance = std::max(out.largest_chance, edge.probability * (1 - edge.probability));
  }
  const double bound = 2 * degree.maxCoeff();
  out.largest = std::min(bound, 1.01 * power_iteration(graph, 0, 1, 200));
  out.smallest = std::max(0.0, bound - power_iteration(graph, bound, -1, 2000));
  return out;
}

}  // namespace bridle
