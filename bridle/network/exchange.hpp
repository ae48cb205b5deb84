// How points travel between the ranks that host the nodes. The loops know this interface alone, so that they
// are the same in one process and over MPI.
#pragma once

#include <cstdint>
#include <vector>

#include "bridle/network/territory.hpp"

namespace bridle {

class Exchange {
 public:
  virtual ~Exchange() = default;

  // Column k of `points` belongs to territory.node(k). Sends the columns of hosted nodes over the links that
  // are up (positions in territory.links(), ascending), one message per neighbouring rank at most. What was
  // sent may not change before `finish`, which returns when the columns at the other ends of the links are
  // here.
  virtual void start(const std::vector<std::size_t>& up, Matrix& points) = 0;
  virtual void finish(Matrix& points) = 0;

  // The collectives; every rank calls them at the same places.
  virtual Matrix gather(const Matrix& hosted) = 0;  // the columns of all nodes on rank 0, nothing elsewhere
  virtual void broadcast(Vector& figures) = 0;      // rank 0's, everywhere; sizes agree
  virtual std::uint64_t smallest(std::uint64_t number) = 0;  // over all ranks, everywhere
  bool any(bool flag) { return smallest(flag ? 0 : 1) == 0; }

  // The sum of all nodes' columns, everywhere. Added up in the order of the nodes: the same bits for any
  // number of ranks.
  Vector sum(const Matrix& hosted) {
    const Matrix columns = gather(hosted);
    Vector out = Vector::Zero(hosted.rows());
    for (Index i = 0; i < columns.cols(); ++i) out += columns.col(i);
    broadcast(out);
    return out;
  }
  // The largest of one figure per node, everywhere.
  double largest(const Matrix& hosted) {
    const Matrix figures = gather(hosted);
    Vector out = Vector::Constant(1, figures.size() ? figures.maxCoeff() : 0.0);
    broadcast(out);
    return out[0];
  }

  virtual std::uint64_t messages() const { return 0; }  // sent by this rank to others
  virtual std::uint64_t bytes() const { return 0; }
};

// One process hosts all nodes: every point is at hand.
class OneProcess final : public Exchange {
 public:
  void start(const std::vector<std::size_t>&, Matrix&) override {}
  void finish(Matrix&) override {}
  Matrix gather(const Matrix& hosted) override { return hosted; }
  void broadcast(Vector&) override {}
  std::uint64_t smallest(std::uint64_t number) override { return number; }
};

}  // namespace bridle
