#include "bridle/network/endings.hpp"

#include <algorithm>

#include "bridle/certify/certify.hpp"
#include "bridle/network/consensus.hpp"

namespace bridle {

Vector mean_of_nodes(const Matrix& hosted, Exchange& exchange, const Territory& territory) {
  return exchange.sum(hosted) / static_cast<double>(territory.nodes());
}

void Endings::add(const Matrix& hosted, FoundBy found_by) {
  all_.push_back({exchange_.gather(hosted), mean_of_nodes(hosted, exchange_, territory_), found_by});
}

const Ending& Endings::best(const Problem& whole, double tolerance, double agreement, PhaseSpending& judge) {
  const auto miss = [&](const Ending& one) {
    return std::max(one.certificate.error() / std::max(tolerance, 1e-300),
                    consensus_error(one.points) / std::max(agreement, 1e-300));
  };
  const Index batch = std::max<Index>(1, CertifyOptions{}.batch / territory_.nodes());
  const Judge judged(whole, {.batch = batch});
  const Ending* out = nullptr;
  for (Ending& one : all_) {
    one.certificate = judged(one.mean, Vector(0));
    const bool better = territory_.rank() == 0 && (!out || miss(one) < miss(*out));
    if (exchange_.any(better)) out = &one;
  }
  const double looks = 1 + static_cast<double>(all_.size());  // and one at the origin
  const Certificate& last = all_.back().certificate;
  if (last.exact)
    judge.full_gradients += looks;
  else
    judge.sample_gradients += looks * static_cast<double>(last.gradients);
  return *out;
}

}  // namespace bridle
