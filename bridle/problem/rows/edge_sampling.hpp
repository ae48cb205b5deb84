// Consensus x_i = x_j over the edges of a random graph: edge e is up with probability p_e, independently in
// every draw. Row (e, k) of A_zeta is x_i[k] - x_j[k] if the edge is up and 0 otherwise, so that A = E A_zeta
// has rows p_e (x_i - x_j).
#pragma once

#include <string>

#include "bridle/core/error.hpp"
#include "bridle/problem/stochastic_rows.hpp"

namespace bridle {

struct Edge {
  Index from, to;
  double probability = 1;
};

class EdgeSampling {
 public:
  // Node i's variables are entries i * width, ..., (i + 1) * width - 1 of x.
  EdgeSampling(Index nodes, Index width, std::vector<Edge> edges)
      : nodes_(nodes), width_(width), edges_(std::move(edges)) {
    for (const auto& edge : edges_) {
      if (edge.from < 0 || edge.to < 0 || edge.from >= nodes || edge.to >= nodes || edge.from == edge.to)
        throw InputError("edge (" + std::to_string(edge.from) + ", " + std::to_string(edge.to) +
                         ") does not join two of the " + std::to_string(nodes) + " nodes");
      if (!(edge.probability > 0) || edge.probability > 1)
        throw InputError("an edge is up with probability " + std::to_string(edge.probability) +
                         "; it must be in (0, 1]");
    }
  }

  Index dimension() const { return nodes_ * width_; }
  Index count() const { return static_cast<Index>(edges_.size()) * width_; }
  bool samples_inclusion() const { return true; }

  void draw(Sample zeta, RowSample& out) const {
    const Stream stream(zeta, Purpose::constraint);
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (stream.uniform(e) < edges_[e].probability) append(e, 1 / edges_[e].probability, out);
  }

  MeanRows mean() const {
    RowSample all;
    for (std::size_t e = 0; e < edges_.size(); ++e) append(e, 1, all);
    MeanRows out{SparseRows(count(), dimension()), Vector::Zero(count())};
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& row : all.rows)
      for (std::size_t k = row.begin; k < row.end; ++k)
        entries.emplace_back(row.row, all.columns[k], all.values[k]);
    out.matrix.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

 private:
  // The edge's rows of E[A], times `weight`: weight 1/p gives the plain difference.
  void append(std::size_t e, double weight, RowSample& out) const {
    const Edge& edge = edges_[e];
    for (Index k = 0; k < width_; ++k) {
      out.begin_row(static_cast<Index>(e) * width_ + k, weight, 0);
      out.add(edge.from * width_ + k, edge.probability);
      out.add(edge.to * width_ + k, -edge.probability);
    }
  }

  Index nodes_, width_;
  std::vector<Edge> edges_;
};

}  // namespace bridle
