// A set for each of several groups of variables; variables in no group are free.
#pragma once

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bridle/core/scratch.hpp"
#include "bridle/problem/set.hpp"
#include "bridle/problem/sets/check.hpp"

namespace bridle {

// first, first + 1, ..., first + count - 1.
inline std::vector<Index> index_range(Index first, Index count) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

class Product {
 public:
  struct Block {
    std::vector<Index> indices;  // the set's variables, in the set's order
    AnySet set;
  };

  Product(Index dimension, std::vector<Block> blocks)
      : dimension_(detail::checked_dimension("product", dimension)), blocks_(std::move(blocks)) {
    std::vector<Index> owner(static_cast<std::size_t>(dimension), -1);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto& [indices, set] = blocks_[b];
      const std::string name = "product: block " + std::to_string(b);
      if (static_cast<Index>(indices.size()) != set.dimension())
        throw InputError(name + " has " + std::to_string(indices.size()) +
                         " indices but its set has dimension " + std::to_string(set.dimension()) +
                         "; the two must agree");
      for (const Index j : indices) {
        if (j < 0 || j >= dimension)
          throw InputError(name + " has index " + std::to_string(j) + "; 0 <= index < " +
                           std::to_string(dimension) + " is required");
        Index& of = owner[static_cast<std::size_t>(j)];
        if (of >= 0)
          throw InputError(name + " has index " + std::to_string(j) + ", which block " + std::to_string(of) +
                           " has already; a variable may be in one block once");
        of = static_cast<Index>(b);
      }
      first_.push_back(first_of_range(indices));
    }
  }

  Index dimension() const { return dimension_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  void project(VectorRef x) const {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      on_block(b, x, [&](VectorRef part) { blocks_[b].set.project(part); });
  }

  void project_tangent(ConstVectorRef x, VectorRef direction) const {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto& [indices, set] = blocks_[b];
      if (first_[b] >= 0) {
        set.project_tangent(x.segment(first_[b], set.dimension()),
                            direction.segment(first_[b], set.dimension()));
      } else {
        detail::Scratch<double> point(set.dimension());
        for (Index k = 0; k < set.dimension(); ++k) point[k] = x[indices[static_cast<std::size_t>(k)]];
        on_block(b, direction, [&](VectorRef part) { blocks_[b].set.project_tangent(point.vector(), part); });
      }
    }
  }

  void make_admissible(VectorRef scale) const {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      on_block(b, scale, [&](VectorRef part) { blocks_[b].set.make_admissible(part); });
  }

  Product scaled(ConstVectorRef scale) const {
    std::vector<Block> blocks;
    for (const auto& [indices, set] : blocks_) {
      const Vector part = scale(indices);
      blocks.push_back({indices, set.scaled(part)});
    }
    return {dimension_, std::move(blocks)};
  }

  // A box if every block is one.
  std::optional<Bounds> bounds() const {
    Bounds all{Vector::Constant(dimension_, -infinity), Vector::Constant(dimension_, infinity)};
    for (const auto& [indices, set] : blocks_) {
      const auto part = set.bounds();
      if (!part) return std::nullopt;
      all.lower(indices) = part->lower;
      all.upper(indices) = part->upper;
    }
    return all;
  }

  SetShape shape() const {
    const Vector free = Vector::Constant(dimension_, infinity);
    SetShape all{{-free, free}, {}, free};
    for (const auto& [indices, set] : blocks_) {
      SetShape part = set.shape();
      all.bounds.lower(indices) = part.bounds.lower;
      all.bounds.upper(indices) = part.bounds.upper;
      all.reach(indices) = part.reach;
      for (auto& block : part.blocks) {
        for (Index& j : block) j = indices[static_cast<std::size_t>(j)];
        all.blocks.push_back(std::move(block));
      }
    }
    return all;
  }

  std::optional<LinearDescription> description() const {
    return joined([](const Block& block) { return block.set.description(); });
  }

  std::optional<LinearDescription> part(ConstVectorRef x, ConstVectorRef direction) const {
    return joined([&](const Block& block) {
      return block.set.part(Vector(x(block.indices)), Vector(direction(block.indices)));
    });
  }

 private:
  // The descriptions of all blocks as one, if they have them.
  template <class Describe>
  std::optional<LinearDescription> joined(const Describe& describe) const {
    Bounds all{Vector::Constant(dimension_, -infinity), Vector::Constant(dimension_, infinity)};
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> lower, upper;
    for (const Block& block : blocks_) {
      const auto& indices = block.indices;
      const std::optional<LinearDescription> part = describe(block);
      if (!part) return std::nullopt;
      all.lower(indices) = part->bounds.lower;
      all.upper(indices) = part->bounds.upper;
      const auto first = static_cast<Index>(lower.size());
      for (Index i = 0; i < part->rows.rows(); ++i)
        for (SparseRows::InnerIterator it(part->rows, i); it; ++it)
          entries.emplace_back(first + i, indices[static_cast<std::size_t>(it.col())], it.value());
      lower.insert(lower.end(), part->lower.begin(), part->lower.end());
      upper.insert(upper.end(), part->upper.begin(), part->upper.end());
    }
    const auto count = static_cast<Index>(lower.size());
    LinearDescription out{std::move(all), SparseRows(count, dimension_),
                          Eigen::Map<const Vector>(lower.data(), count),
                          Eigen::Map<const Vector>(upper.data(), count)};
    out.rows.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

  // -1 if the indices are no range.
  static Index first_of_range(const std::vector<Index>& indices) {
    for (std::size_t k = 1; k < indices.size(); ++k)
      if (indices[k] != indices[k - 1] + 1) return -1;
    return indices.empty() ? 0 : indices.front();
  }

  // Runs `change` on block b's part of x: in place for a range, otherwise on a copy put back.
  template <class Change>
  void on_block(std::size_t b, VectorRef x, const Change& change) const {
    const auto& indices = blocks_[b].indices;
    const Index count = static_cast<Index>(indices.size());
    if (first_[b] >= 0) return change(x.segment(first_[b], count));
    // Plain loops: Eigen's x(indices) copies the list of indices.
    detail::Scratch<double> part(count);
    for (Index k = 0; k < count; ++k) part[k] = x[indices[static_cast<std::size_t>(k)]];
    change(part.vector());
    for (Index k = 0; k < count; ++k) x[indices[static_cast<std::size_t>(k)]] = part[k];
  }

  Index dimension_;
  std::vector<Block> blocks_;
  std::vector<Index> first_;  // of each block that is a range of variables, else -1
};

}  // namespace bridle
