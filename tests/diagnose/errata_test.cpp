// docs/errata.md: every slip of the paper's source that is listed there is one, and what is said to be right
// is.
#include <gtest/gtest.h>

#include "tests/support/paper_slips.hpp"

namespace bridle::paper {
namespace {

TEST(Errata, EverySlipIsShownByItsNumbers) {
  for (const Slip& slip : paper_slips()) {
    EXPECT_TRUE(slip.holds(slip.corrected))
        << slip.place << ": " << slip.right << " gives " << slip.corrected << ", demanded " << slip.demanded;
    EXPECT_FALSE(slip.holds(slip.printed)) << slip.place << ": " << slip.as_printed << " gives "
                                           << slip.printed << ", demanded " << slip.demanded;
  }
}

TEST(Errata, TwoSlipsAreHarmless) {
  EXPECT_GT(unused_branch_ratio(), 1);
  EXPECT_LT(cube_difference(), 1e-15);
}

}  // namespace
}  // namespace bridle::paper
