// Points between ranks over MPI: non-blocking, at most one message per neighbouring rank and iteration, no
// barrier. Both ends know which links are up, so that a message carries points and nothing else.
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "bridle/network/exchange.hpp"

namespace bridle {

class MpiExchange final : public Exchange {
 public:
  MpiExchange(const Territory& territory, double patience);

  void start(const std::vector<std::size_t>& up, Matrix& points) override;
  void finish(Matrix& points) override;
  Matrix gather(const Matrix& hosted) override;
  void broadcast(Vector& figures) override;
  std::uint64_t smallest(std::uint64_t number) override;
  std::uint64_t messages() const override { return messages_; }
  std::uint64_t bytes() const override { return bytes_; }

 private:
  struct Peer {
    int rank;
    std::vector<Index> sent, received;  // columns in this iteration, ascending: both ends have one order
    std::vector<double> outgoing, incoming;
  };
  // Where a link leads: a position in peers_, or -1 when both ends are hosted here.
  struct Way {
    int peer = -1;
    Index here = 0, there = 0;
  };

  void post(Peer& peer, const Matrix& points);

  const Territory& territory_;
  double patience_;
  std::vector<Peer> peers_;
  std::vector<Way> ways_;  // by link
  std::vector<MPI_Request> requests_;
  std::vector<int> waited_for_;  // the rank behind every request
  std::uint64_t round_ = 0, messages_ = 0, bytes_ = 0;
};

}  // namespace bridle
