// Sums over parts, of workers or of chunks of the data: a binary tree over their numbers (0 + 1, 2 + 3, ...,
// then pairs of these, and so on), so that the bits do not depend on which thread or process has computed
// which part.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "bridle/core/processes.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

// Parts first, ..., first + size - 1, as far as there are so many: size is a power of two, first a multiple
// of it.
struct TreeNode {
  Index first, size;
  bool operator==(const TreeNode&) const = default;
};

// The largest nodes that have no parts but first, ..., end - 1 of `total`.
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

// Adds results up as they come, in any order and from any thread: those of parts begin, ..., end - 1 of
// `total`, each once.
template <class Result>
class TreeSum {
 public:
  TreeSum(Index begin, Index end, Index total)
      : total_(total), nodes_(nodes_of(begin, end, total)), sums_(nodes_.size()) {}

  void add(Index part, Result result) {
    TreeNode node{part, 1};
    while (!is_done(node, result)) {
      const TreeNode parent{node.first / (2 * node.size) * (2 * node.size), 2 * node.size};
      const bool left = node.first == parent.first;
      const TreeNode other{left ? node.first + node.size : parent.first, node.size};
      if (other.first < total_) {
        Result with;
        {
          const std::lock_guard lock(lock_);
          const auto found = waiting_.find(other.first);
          if (found == waiting_.end() || found->second.first != other.size) {
            waiting_.emplace(node.first, std::pair(node.size, std::move(result)));
            return;
          }
          with = std::move(found->second.second);
          waiting_.erase(found);
        }
        if (!left) std::swap(result, with);
        result += with;
      }
      node = parent;
    }
  }
  // Of the nodes, when all parts have come.
  std::vector<Result>& sums() { return sums_; }

 private:
  bool is_done(const TreeNode& node, Result& result) {
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    if (found == nodes_.end()) return false;
    sums_[static_cast<std::size_t>(found - nodes_.begin())] = std::move(result);
    return true;
  }

  Index total_;
  std::vector<TreeNode> nodes_;
  std::vector<Result> sums_;
  std::mutex lock_;
  std::map<Index, std::pair<Index, Result>> waiting_;  // by first part: size and sum
};

// The sums over the nodes of parts begin, ..., end - 1 of `total`, of what compute(k, result) makes of copies
// of `zero`: computed over the threads.
template <class Result, class Compute>
std::vector<Result> sums_of_nodes(Index begin, Index end, Index total, unsigned threads, const Result& zero,
                                  const Compute& compute) {
  TreeSum<Result> sum(begin, end, total);
  in_parallel(static_cast<std::size_t>(end - begin), threads, [&](std::size_t k) {
    Result result = zero;
    compute(begin + static_cast<Index>(k), result);
    sum.add(begin + static_cast<Index>(k), std::move(result));
  });
  return std::move(sum.sums());
}

// The numbers that a result is made of, as they travel between processes.
inline std::span<double> numbers_of(double& one) { return {&one, 1}; }
inline std::span<double> numbers_of(Vector& all) {
  return {all.data(), static_cast<std::size_t>(all.size())};
}
inline std::span<double> numbers_of(Matrix& all) {
  return {all.data(), static_cast<std::size_t>(all.size())};
}

// The sum over all parts of a tree, which are dealt out to processes: each brings the sums of the nodes of
// its own. They travel along the tree, so that the bits are the same for any number of processes. `like`: of
// the size of a sum.
template <class Result>
Result sum_over_processes(const Processes& among, Index total, std::vector<Result> mine, const Result& like) {
  std::vector<std::pair<TreeNode, Index>> brought;  // nodes, and who brings them
  for (Index process = 0; process < among.count(); ++process)
    for (const TreeNode& node : nodes_of(first_of_share(total, process, among.count()),
                                         first_of_share(total, process + 1, among.count()), total))
      brought.emplace_back(node, process);
  struct Place {
    Index process;
    std::size_t slot;  // of `mine`, in that process
  };
  std::size_t next = 0, next_mine = 0;
  Result other = like;
  const auto join = [&](const auto& self, const TreeNode& node) -> Place {
    if (brought[next].first == node) {
      const Index process = brought[next++].second;
      return {process, process == among.number() ? next_mine++ : 0};
    }
    const Index half = node.size / 2;
    const Place left = self(self, {node.first, half});
    if (node.first + half >= total) return left;
    const Place right = self(self, {node.first + half, half});
    const bool has_left = left.process == among.number(), has_right = right.process == among.number();
    if (has_left && has_right) {
      mine[left.slot] += mine[right.slot];
    } else if (has_left) {
      among.receive(right.process, numbers_of(other));
      mine[left.slot] += other;
    } else if (has_right) {
      among.send(left.process, numbers_of(mine[right.slot]));
    }
    return left;
  };
  const Place root = join(join, {0, static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(total)))});
  Result& sum = root.process == among.number() ? mine[root.slot] : other;
  among.broadcast(root.process, numbers_of(sum));
  return std::move(sum);
}

// The sum over all `count` parts.
template <class Result, class Compute>
Result sum_over_parts(Index count, unsigned threads, const Result& zero, const Compute& compute) {
  return std::move(sums_of_nodes(0, count, count, threads, zero, compute).front());
}

// The sum of compute(first, end, result) over chunks of `items` samples. How many chunks there are depends on
// nothing but their number.
template <class Result, class Compute>
Result sum_over_chunks(Index items, unsigned threads, const Result& zero, const Compute& compute) {
  const Index chunks = std::clamp<Index>(items / 64, 1, 64);
  return sum_over_parts(chunks, threads, zero, [&](Index k, Result& result) {
    compute(k * items / chunks, (k + 1) * items / chunks, result);
  });
}

}  // namespace bridle
