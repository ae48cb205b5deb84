// Numbers in whole lanes, zeros at the end: loops over vector registers need no remainder.
#pragma once

#include <vector>

#include "bridle/core/dispatch.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle {

constexpr Index blocks_for(Index size) { return (size + lanes - 1) / lanes; }

class LaneVector {
 public:
  explicit LaneVector(Index size = 0) : size_(size), blocks_(static_cast<std::size_t>(blocks_for(size))) {}
  explicit LaneVector(const Vector& v) : LaneVector(v.size()) { values() = v; }

  Index size() const { return size_; }
  Index blocks() const { return static_cast<Index>(blocks_.size()); }
  double* data() { return blocks_.empty() ? nullptr : blocks_.front().at; }
  const double* data() const { return blocks_.empty() ? nullptr : blocks_.front().at; }
  double& operator[](Index j) { return data()[j]; }
  double operator[](Index j) const { return data()[j]; }
  Eigen::Map<Vector> values() { return {data(), size_}; }
  Eigen::Map<const Vector> values() const { return {data(), size_}; }

 private:
  struct alignas(cache_line) Block {
    double at[lanes] = {};
  };
  Index size_;
  std::vector<Block> blocks_;
};

}  // namespace bridle
