// Sums over workers: a binary tree over their numbers (0 + 1, 2 + 3, ..., then pairs of these, and so on), so
// that the bits do not depend on which thread or process has computed which part.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle {

// Workers first, ..., first + size - 1, as far as there are so many: size is a power of two, first a multiple
// of it.
struct TreeNode {
  Index first, size;
  bool operator==(const TreeNode&) const = default;
};

// The largest nodes that have no workers but first, ..., end - 1 of `total`.
inline std::vector<TreeNode> nodes_of(Index first, Index end, Index total) {
  std::vector<TreeNode> out;
  while (first < end) {
    Index size = 1;
    while (size < total && first % (2 * size) == 0 && (first + 2 * size <= end || end == total)) size *= 2;
    out.push_back({first, size});
    first += size;
  }
  return out;
}

// Adds up a node. Worker w has column w - begin; the sum is in the column of the node's first worker then,
// and its others are spoilt.
inline void sum_node(const TreeNode& node, Index total, Index begin, Matrix& columns) {
  const Index end = std::min(total, node.first + node.size);
  for (Index apart = 1; apart < node.size; apart *= 2)
    for (Index k = node.first; k + apart < end; k += 2 * apart)
      columns.col(k - begin) += columns.col(k + apart - begin);
}

// Adds up nodes that are summed already, all of a tree in their order, a column each. The sum is in column 0
// then, and the others are spoilt.
inline void join_nodes(const std::vector<TreeNode>& nodes, Index total, Matrix& columns) {
  std::size_t next = 0;
  const auto join = [&](const auto& self, const TreeNode& node) -> Index {
    if (nodes[next] == node) return static_cast<Index>(next++);
    const Index half = node.size / 2, left = self(self, {node.first, half});
    if (node.first + half < total) {
      const Index right = self(self, {node.first + half, half});
      columns.col(left) += columns.col(right);
    }
    return left;
  };
  join(join, {0, static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(total)))});
}

}  // namespace bridle
