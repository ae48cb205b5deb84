// Points of the nodes that a decentralised run may return, and which of them the judge likes best.
#pragma once

#include <vector>

#include "bridle/certify/certificate.hpp"
#include "bridle/network/exchange.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/run/phases.hpp"

namespace bridle {

struct Ending {
  Matrix points;  // of all nodes, on rank 0
  Vector mean;
  FoundBy found_by;
  Certificate certificate = {};
};

// Everywhere.
Vector mean_of_nodes(const Matrix& hosted, Exchange& exchange, const Territory& territory);

class Endings {
 public:
  Endings(Exchange& exchange, const Territory& territory) : exchange_(exchange), territory_(territory) {}

  void add(const Matrix& hosted, FoundBy found_by);
  const Ending& first() const { return all_.front(); }
  // Of those whose means were judged against the centralised problem the one that misses what was asked, the
  // judge's error or the agreement of the nodes, by the smallest factor. Rank 0 knows, and all hear of it.
  const Ending& best(const Problem& whole, double tolerance, double agreement, PhaseSpending& judge);

 private:
  Exchange& exchange_;
  const Territory& territory_;
  std::vector<Ending> all_;
};

}  // namespace bridle
