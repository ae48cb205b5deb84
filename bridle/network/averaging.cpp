#include "bridle/network/averaging.hpp"

namespace bridle {

void Averaging::draw(std::uint64_t t, std::vector<std::size_t>& up) {
  std::fill(degree_.begin(), degree_.end(), 0);
  up.clear();
  std::size_t next = 0;
  const auto& links = territory_.links();
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
    const Edge& edge = graph_.edges[e];
    const bool is_up = draws_.up(static_cast<Index>(e), edge.probability, t);
    if (is_up) {
      ++degree_[static_cast<std::size_t>(edge.from)];
      ++degree_[static_cast<std::size_t>(edge.to)];
    }
    if (next < links.size() && links[next].edge == static_cast<Index>(e)) {
      if (is_up) up.push_back(next);
      ++next;
    }
  }
}

std::uint64_t Averaging::rounds_for(double reduction, std::uint64_t first, std::uint64_t most) {
  constexpr Index probes = 8;
  Matrix values(graph_.nodes, probes), averaged;
  for (Index k = 0; k < probes; ++k)
    Stream(1, Purpose::network)
        .fill_normal(values.col(k), (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(k));
  const auto disagreement = [&] {
    return (values.rowwise() - values.colwise().mean()).colwise().norm().eval();
  };
  const auto before = disagreement();
  std::vector<std::size_t> up;
  std::uint64_t rounds = 0;
  while (rounds < most && (disagreement().array() > reduction * before.array()).any()) {
    const std::uint64_t t = first + rounds++;
    draw(t, up);
    averaged = values;
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      const Edge& edge = graph_.edges[e];
      if (!draws_.up(static_cast<Index>(e), edge.probability, t)) continue;
      const auto flow = (weight(edge.from, edge.to) * (values.row(edge.to) - values.row(edge.from))).eval();
      averaged.row(edge.from) += flow;
      averaged.row(edge.to) -= flow;
    }
    values.swap(averaged);
  }
  return rounds;
}

}  // namespace bridle
