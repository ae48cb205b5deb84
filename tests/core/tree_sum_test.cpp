// Sums over workers have the same bits, however the workers are spread over processes.
#include "bridle/core/tree_sum.hpp"

#include <gtest/gtest.h>

#include "tests/properties.hpp"
#include "tests/support/thread_processes.hpp"

namespace bridle {
namespace {

TEST(TreeSum, SameBitsForAnyProcesses) {
  for (Index workers = 1; workers <= 21; ++workers) {
    const Matrix parts = test::random_matrix(7, workers, static_cast<std::uint64_t>(workers));
    Matrix whole = parts;
    sum_node(nodes_of(0, workers, workers).front(), workers, 0, whole);
    test::expect_near(whole.col(0), parts.rowwise().sum(), 1e-13);
    for (Index processes = 1; processes <= workers + 2; ++processes)
      test::in_processes(processes, [&](const std::shared_ptr<const Processes>& among) {
        const Index begin = first_of_share(workers, among->number(), processes),
                    end = first_of_share(workers, among->number() + 1, processes);
        Matrix own = parts.middleCols(begin, end - begin);
        std::vector<Vector> mine;
        for (const TreeNode& node : nodes_of(begin, end, workers)) {
          sum_node(node, workers, begin, own);
          mine.emplace_back(own.col(node.first - begin));
        }
        const Vector like = Vector::Zero(7);
        EXPECT_EQ(sum_over_processes(*among, workers, std::move(mine), like), whole.col(0))
            << workers << " workers, " << processes << " processes";
      });
  }
}

TEST(TreeSum, SameBitsOnAnyThreads) {
  for (Index parts = 1; parts <= 21; ++parts) {
    const Matrix columns = test::random_matrix(7, parts, static_cast<std::uint64_t>(parts));
    Matrix whole = columns;
    sum_node(nodes_of(0, parts, parts).front(), parts, 0, whole);
    for (const unsigned threads : {1U, 2U, 5U}) {
      const Vector sum = sum_over_parts(parts, threads, Vector(Vector::Zero(7)),
                                        [&](Index k, Vector& part) { part += columns.col(k); });
      EXPECT_EQ(sum, whole.col(0)) << parts << " parts on " << threads << " threads";
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
