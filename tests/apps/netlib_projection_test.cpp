// Exact projections onto sets of rows from files.
#include <filesystem>

#include <gtest/gtest.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/finish/feasible_set.hpp"

namespace bridle {
namespace {

// The entries of vtpbase's rows and columns differ by orders of magnitude: in the units of the metric the
// interior-point method ends with a violation of 130, in units that even the entries out at a point of the
// set.
TEST(NetlibProjection, MeetsTheRowsOfVtpbase) {
  const std::string file = BRIDLE_SHARED_DATA "/netlib/vtpbase.mps";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  const Problem problem = read_problem(file).problem;
  const auto set = FeasibleSet::of(problem);
  ASSERT_TRUE(set);
  const Index n = problem.dimension();
  const Vector x = set->project(Vector::Zero(n), Vector::Ones(n)).x;
  ASSERT_TRUE(x.allFinite());
  const Rows& rows = problem.rows();
  const Vector activity = rows.matrix * x;
  const Vector size = rows.matrix.cwiseAbs() * x.cwiseAbs();
  for (Index i = 0; i < rows.count(); ++i) {
    const double broken = std::max({0.0, rows.lower[i] - activity[i], activity[i] - rows.upper[i]});
    EXPECT_LE(broken, 1e-10 * (1 + size[i])) << rows.names[static_cast<std::size_t>(i)];
  }
}

}  // namespace
}  // namespace bridle
