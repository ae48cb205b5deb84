#include "bridle/apps/slicing/dive.hpp"

#include <algorithm>
#include <utility>

namespace bridle {
namespace {

constexpr double sure = 0.999;
constexpr int dives_per_program = 50;  // then its columns are too many and it starts anew

}  // namespace

Dive::Dive(const SliceInstance& instance, double penalty, StopRequest stop)
    : instance_(instance), penalty_(penalty), stop_(std::move(stop)) {}

// Ties every flow with a whole part, or else the one with the largest.
bool Dive::tie_surest(Placement& placement, std::vector<std::size_t>& free) {
  double largest = -1;
  std::size_t surest = 0;
  Hosting its;
  std::vector<std::size_t> left;
  for (const std::size_t k : free) {
    ChainProgram::Part best{{}, -1};
    for (auto& one : program_->parts(k))
      if (one.part > best.part) best = std::move(one);
    if (best.part < 0) return false;
    if (best.part >= sure) {
      placement[k] = best.hosting;
      program_->tie(k, best.hosting);
      continue;
    }
    left.push_back(k);
    if (best.part > largest) {
      largest = best.part;
      surest = k;
      its = best.hosting;
    }
  }
  if (left.size() == free.size()) {
    placement[surest] = its;
    program_->tie(surest, its);
    left.erase(std::find(left.begin(), left.end(), surest));
  }
  free = std::move(left);
  return true;
}

std::optional<Placement> Dive::complete(const std::vector<std::optional<Hosting>>& given) {
  if (!program_ || used_++ >= dives_per_program) {
    program_.emplace(instance_, ChainGoal::cost, penalty_, stop_);
    used_ = 0;
  }
  program_->release_all();
  Placement placement(given.size());
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (given[k])
      program_->tie(k, placement[k] = *given[k]);
    else
      free.push_back(k);
  }
  while (!free.empty()) {
    if (!program_->solve().solved || !tie_surest(placement, free)) return {};
  }
  return placement;
}

}  // namespace bridle
