// Which links are up: a function of (seed, draw, iteration, edge), so that both ends know without asking.
#pragma once

#include "bridle/core/random.hpp"
#include "bridle/network/territory.hpp"

namespace bridle {

class LinkDraws {
 public:
  LinkDraws(std::uint64_t seed, Purpose draw) : stream_(seed, draw) {}

  bool up(Index edge, double probability, std::uint64_t t) const {
    return stream_.uniform(t, static_cast<std::uint32_t>(edge)) < probability;
  }
  // up <- positions of the links that are up in iteration t
  void draw(const std::vector<Link>& links, std::uint64_t t, std::vector<std::size_t>& up) const {
    up.clear();
    for (std::size_t k = 0; k < links.size(); ++k)
      if (this->up(links[k].edge, links[k].probability, t)) up.push_back(k);
  }

 private:
  Stream stream_;
};

}  // namespace bridle
