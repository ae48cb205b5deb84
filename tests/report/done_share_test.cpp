// The share that is shown goes up, and is the part of the time that is over where the time left was right.
#include "bridle/report/done_share.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace bridle {
namespace {

TEST(DoneShare, IsThePartOfTheTimeWhereEstimatesHold) {
  DoneShare share;
  for (const double seconds : {1.0, 2.0, 5.0, 9.0, 10.0})
    EXPECT_NEAR(share.at(seconds, 10 - seconds).value(), seconds / 10, 1e-12);
}

// At 8 of 10 s it turns out that 32 are left: 80% stays, and grows as far in the time that is left.
TEST(DoneShare, NeverGoesBack) {
  DoneShare share;
  EXPECT_NEAR(share.at(8, 2).value(), 0.8, 1e-12);
  EXPECT_NEAR(share.at(8, 32).value(), 0.8, 1e-12);
  EXPECT_NEAR(share.at(24, 16).value(), 0.9, 1e-12);
  EXPECT_NEAR(share.at(30, 0).value(), 1, 1e-12);
}

TEST(DoneShare, RoundsBeginAnewAndWhatIsNotKnownIsNotShown) {
  DoneShare share;
  EXPECT_FALSE(share.at(0, 0));
  EXPECT_FALSE(share.at(1, std::nan("")));
  EXPECT_NEAR(share.at(4, 0).value(), 1, 1e-12);
  share.begin_again();
  EXPECT_NEAR(share.at(5, 15).value(), 0.25, 1e-12);
}

}  // namespace
}  // namespace bridle
