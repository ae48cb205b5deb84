#include "bridle/apps/slicing/delays.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

constexpr double earth_radius = 6371, kilometres_per_millisecond = 200;

bool are_degrees(const Network& network) {
  return std::all_of(network.nodes.begin(), network.nodes.end(),
                     [](const auto& node) { return std::abs(node.x) <= 180 && std::abs(node.y) <= 90; });
}

bool are_all_in_one_place(const Network& network) {
  return std::all_of(network.nodes.begin(), network.nodes.end(), [&](const auto& node) {
    return node.x == network.nodes[0].x && node.y == network.nodes[0].y;
  });
}

// The haversine formula.
double great_circle(const Network::Node& a, const Network::Node& b) {
  const double degree = std::numbers::pi / 180;
  const double across = std::sin(0.5 * degree * (b.x - a.x)), up = std::sin(0.5 * degree * (b.y - a.y));
  const double part = up * up + std::cos(degree * a.y) * std::cos(degree * b.y) * across * across;
  return 2 * earth_radius * std::asin(std::min(1.0, std::sqrt(part)));
}

}  // namespace

std::vector<double> delays_of(const Network& network) {
  const auto stated = [](const Network::Link& link) { return link.delay.has_value(); };
  const bool by_file = std::any_of(network.links.begin(), network.links.end(), stated);
  const bool degrees = are_degrees(network), nowhere = are_all_in_one_place(network);
  std::vector<double> out;
  for (const auto& link : network.links) {
    const auto &from = network.nodes[link.from], &to = network.nodes[link.to];
    if (by_file && !link.delay)
      throw InputError(network.file, link.line,
                       fmt::format("the link {} - {} has no delay; either all links have one or none",
                                   from.name, to.name));
    out.push_back(by_file   ? *link.delay
                  : nowhere ? 1
                  : degrees ? great_circle(from, to) / kilometres_per_millisecond
                            : std::hypot(to.x - from.x, to.y - from.y));
  }
  return out;
}

}  // namespace bridle
