// Who may talk to whom: nodes, and edges that are up with given probabilities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bridle/problem/rows/edge_sampling.hpp"

namespace bridle {

struct Graph {
  Index nodes = 0;
  std::vector<Edge> edges;  // the order is part of the graph: sums over edges are taken in it

  // Throws InputError for an edge that does not join two nodes, a probability outside (0, 1], a pair that is
  // there twice, and a graph in pieces (all edges up).
  void check() const;
};

// What the graphs that are made up need to know.
struct GraphRecipe {
  Index nodes = 0;
  double probability = 1;  // that an edge is up in one draw
  double density = 1;      // erdos-renyi: fraction of the pairs that are edges at all
  double radius = 0;       // geometric: points of the unit square closer than this are joined; 0: chosen
  std::uint64_t seed = 1;  // of the random graphs
};

struct GraphKind {
  std::string_view name;
  std::string_view meaning;
  Graph (*make)(const GraphRecipe& recipe);
};

const std::vector<GraphKind>& all_graphs();
const GraphKind* find_graph(std::string_view name);

// Eigenvalues of A'A, A = E[A_zeta] with rows p_ij (x_i - x_j): the Laplacian with weights p_ij^2.
struct Connectivity {
  double largest = 0;         // |A|^2
  double smallest = 0;        // the smallest but the 0 of full agreement
  double largest_chance = 0;  // largest p (1 - p): how much a draw differs from its mean
};
Connectivity connectivity(const Graph& graph);

}  // namespace bridle
