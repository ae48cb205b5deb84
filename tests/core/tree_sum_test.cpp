// Sums over workers have the same bits, however the workers are spread over processes.
#include "bridle/core/tree_sum.hpp"

#include <gtest/gtest.h>

#include "tests/properties.hpp"

namespace bridle {
namespace {

TEST(TreeSum, SameBitsForAnyProcesses) {
  for (Index workers = 1; workers <= 21; ++workers) {
    const Matrix parts = test::random_matrix(7, workers, static_cast<std::uint64_t>(workers));
    Matrix whole = parts;
    sum_node(nodes_of(0, workers, workers).front(), workers, 0, whole);
    test::expect_near(whole.col(0), parts.rowwise().sum(), 1e-13);
    for (Index processes = 1; processes <= workers; ++processes) {
      std::vector<TreeNode> nodes;
      Matrix columns(7, 0);
      for (Index p = 0; p < processes; ++p) {
        const Index begin = workers * p / processes, end = workers * (p + 1) / processes;
        Matrix mine = parts.middleCols(begin, end - begin);
        for (const TreeNode& node : nodes_of(begin, end, workers)) {
          sum_node(node, workers, begin, mine);
          nodes.push_back(node);
          columns.conservativeResize(7, columns.cols() + 1);
          columns.col(columns.cols() - 1) = mine.col(node.first - begin);
        }
      }
      join_nodes(nodes, workers, columns);
      EXPECT_EQ(columns.col(0), whole.col(0)) << workers << " workers, " << processes << " processes";
    }
  }
}

TEST(TreeSum, ProcessesBringFewColumns) {
  EXPECT_EQ(nodes_of(0, 8, 8), (std::vector<TreeNode>{{0, 8}}));
  EXPECT_EQ(nodes_of(4, 8, 8), (std::vector<TreeNode>{{4, 4}}));
  EXPECT_EQ(nodes_of(3, 8, 16), (std::vector<TreeNode>{{3, 1}, {4, 4}}));
  EXPECT_EQ(nodes_of(4, 6, 6), (std::vector<TreeNode>{{4, 4}})) << "what is not there is not missed";
}

}  // namespace
}  // namespace bridle
