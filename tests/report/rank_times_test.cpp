// What is told of ranks that wait: the slow one is the one that does not.
#include "bridle/report/rank_times.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

TEST(RankTimes, TheSlowOneIsNamed) {
  const std::string text = rank_text({{0, 4, 10}, {0, 0.1, 10}, {0, 5, 10}});
  EXPECT_NE(text.find("3, which waited for others 1% to 50% of the time"), std::string::npos) << text;
  EXPECT_NE(text.find("slowest was rank 1"), std::string::npos) << text;
  EXPECT_EQ(text.find("after the first"), std::string::npos) << text;
}

TEST(RankTimes, ALateOneIsNamed) {
  const std::string text = rank_text({{3, 1, 10}, {0.5, 1.2, 10}, {2.9, 1.1, 10}});
  EXPECT_NE(text.find("rank 1 was ready 2.5 s after the first"), std::string::npos) << text;
  EXPECT_EQ(text.find("rank 2"), std::string::npos) << text;
  EXPECT_EQ(text.find("slowest"), std::string::npos) << "all waited about as long: " << text;
  EXPECT_EQ(
      to_json(std::vector<RankTimes>{{3, 1, 10}, {0.5, 1.25, 10, 4}}).dump(),
      R"([{"rank":0,"threads":1,"late_seconds":0.0,"waited_seconds":1.0},{"rank":1,"threads":4,"late_seconds":2.5,"waited_seconds":1.25}])");
}

TEST(RankTimes, OneProcessTellsNothing) { EXPECT_EQ(rank_text({}), ""); }

}  // namespace
}  // namespace bridle
