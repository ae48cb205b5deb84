#include "bridle/io/number.hpp"

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace bridle::io {
namespace {

double value_of(std::string_view text) {
  double value = -77;
  EXPECT_TRUE(parse_number(text, value)) << text;
  return value;
}

TEST(Number, SameValueAsStrtod) {
  std::mt19937_64 random(5);
  char text[64];
  for (int i = 0; i < 200000; ++i) {
    const double scale = std::pow(10.0, static_cast<double>(random() % 40) - 20);
    const double number = (static_cast<double>(random()) / 9e18 - 1) * scale;
    const int digits = static_cast<int>(random() % 20);
    std::snprintf(text, sizeof text, random() % 2 == 0 ? "%.*g" : "%.*f", digits, number);
    const double expected = std::strtod(text, nullptr);
    ASSERT_EQ(value_of(text), expected) << text;
    ASSERT_EQ(std::signbit(value_of(text)), std::signbit(expected)) << text;
  }
}

TEST(Number, Forms) {
  EXPECT_EQ(value_of("+3"), 3);
  EXPECT_EQ(value_of("+.5"), 0.5);
  EXPECT_EQ(value_of("7."), 7);
  EXPECT_EQ(value_of("-.800000e+01"), -8);
  EXPECT_EQ(value_of("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(value_of("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(value_of("00000000000000000000000000.5"), 0.5);
}

TEST(Number, OutOfRange) {
  EXPECT_EQ(value_of("1e999"), INFINITY);
  EXPECT_EQ(value_of("-1e99999"), -INFINITY);
  EXPECT_EQ(value_of("1e-999"), 0);
  EXPECT_EQ(value_of("1e-99999"), 0);
  EXPECT_EQ(value_of("5e-324"), 5e-324);
  EXPECT_EQ(value_of(std::string(400, '9')), INFINITY);
  EXPECT_EQ(value_of("0." + std::string(400, '0') + "1"), 0);
  EXPECT_TRUE(std::isnan(value_of("NaN")));
  EXPECT_EQ(value_of("-Infinity"), -INFINITY);
}

TEST(Number, NotNumbers) {
  double value = 0;
  for (const char* text :
       {"", "+", "-", ".", "+-1", "--1", "1x", "1 ", " 1", "1e", "1,5", "e5", "1.2.3", "0x10", "++1"})
    EXPECT_FALSE(parse_number(text, value)) << text;
}

}  // namespace
}  // namespace bridle::io
