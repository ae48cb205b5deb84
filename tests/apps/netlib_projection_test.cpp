// Exact projections onto sets of rows from files.
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/finish/feasible_set.hpp"

namespace bridle {
namespace {

// The entries of vtpbase's rows and columns differ by orders of magnitude: in the units of the metric the
// interior-point method ends with a violation of 130, in units that even the entries out at a point of the
// set.
class NetlibProjection : public testing::Test {
 protected:
  void SetUp() override {
    const std::string file = BRIDLE_SHARED_DATA "/netlib/vtpbase.mps";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
    problem_ = read_problem(file).problem;
    set_ = FeasibleSet::of(*problem_);
    ASSERT_TRUE(set_);
    const Index n = problem_->dimension();
    feasible_ = set_->project(Vector::Zero(n), Vector::Ones(n)).x;
  }

  void expect_rows_met(const Vector& x) const {
    ASSERT_TRUE(x.allFinite());
    const Rows& rows = problem_->rows();
    const Vector activity = rows.matrix * x;
    const Vector size = rows.matrix.cwiseAbs() * x.cwiseAbs();
    for (Index i = 0; i < rows.count(); ++i) {
      const double broken = std::max({0.0, rows.lower[i] - activity[i], activity[i] - rows.upper[i]});
      EXPECT_LE(broken, 1e-10 * (1 + size[i])) << rows.names[static_cast<std::size_t>(i)];
    }
  }

  std::optional<Problem> problem_;
  std::optional<FeasibleSet> set_;
  Vector feasible_;
};

TEST_F(NetlibProjection, MeetsTheRowsOfVtpbase) { expect_rows_met(feasible_); }

// A linear objective is least where long steps down its gradient end, and a projection onto a polyhedron gets
// there at once.
TEST_F(NetlibProjection, ALongStepFromAPointOfTheSetEndsAtItsLowestPoint) {
  constexpr double lowest = 129831.46246136136;  // Netlib's own list
  Vector gradient(feasible_.size());
  problem_->objective().mean_gradient(feasible_, gradient);
  const Vector metric = Vector::Constant(feasible_.size(), 1e-8);
  const auto step = set_->project(feasible_ - gradient.cwiseQuotient(metric), metric, &feasible_);
  expect_rows_met(step.x);
  EXPECT_NEAR(*problem_->objective().mean_value(step.x), lowest, 1e-9 * lowest);
}

}  // namespace
}  // namespace bridle
