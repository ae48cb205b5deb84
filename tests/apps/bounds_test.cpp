#include "bridle/apps/fair/bounds.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/io/files.hpp"

namespace bridle {
namespace {

TEST(Bounds, OneForAllOrOneEach) {
  const BoundList plain("0.01", {"sex", "race"});
  EXPECT_EQ(plain.of("race").value, 0.01);
  EXPECT_FALSE(plain.relative());
  const BoundList named("sex=0.001,race=10%", {"sex", "race"});
  EXPECT_EQ(named.of("sex").value, 0.001);
  EXPECT_DOUBLE_EQ(named.of("race").value, 0.1);
  EXPECT_TRUE(named.of("race").relative);
  EXPECT_TRUE(named.relative());
  const BoundList mixed("0.5,sex=0", {"sex", "race"});
  EXPECT_EQ(mixed.of("sex").value, 0);
  EXPECT_EQ(mixed.of("race").value, 0.5);
}

TEST(Bounds, WhatIsRefused) {
  const Names attributes{"sex", "race"};
  for (const char* text :
       {"", "x", "-1", "nan", "inf", "5%%", "0.1,0.2", "sx=1,race=1", "sex=1", "sex=1,sex=2,race=1"})
    EXPECT_THROW(BoundList(text, attributes), InputError) << text;
  for (const char* text : {"0.1:1", "0:1:5", "1:0.1:5", "0.1:1:1", "0.1:1:2.5", "1%:1:5", "a:b:c"})
    EXPECT_THROW(parse_sweep(text), InputError) << text;
}

TEST(Bounds, SweepIsEvenInTheLogarithm) {
  const auto bounds = parse_sweep("0.0005:0.2:25");
  ASSERT_EQ(bounds.size(), 25u);
  EXPECT_EQ(bounds.front().value, 0.0005);
  EXPECT_EQ(bounds.back().value, 0.2);
  const double step = std::log(400.0) / 24;
  for (std::size_t k = 1; k < bounds.size(); ++k)
    EXPECT_NEAR(std::log(bounds[k].value / bounds[k - 1].value), step, 2e-4);  // five digits are kept
}

}  // namespace
}  // namespace bridle
