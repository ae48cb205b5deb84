#include "bridle/core/random.hpp"

#include <array>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tolerances.hpp"

namespace bridle {
namespace {

constexpr int draws = 200'000;
constexpr double count = draws;

// The known answer of Philox4x32-10 for key 0 and counter 0, from Random123's kat_vectors: results stay
// reproducible from version to version.
TEST(Stream, KnownAnswer) {
  const auto [first, second] = Stream(0, Purpose::samples).bits(0);
  EXPECT_EQ(first, 0xE169C58D6627E8D5ULL);
  EXPECT_EQ(second, 0x9B00DBD8BC57AC4CULL);
}

TEST(Stream, AFunctionOfSeedPurposeCounterAndLane) {
  const Stream stream(7, Purpose::noise), again(7, Purpose::noise);
  std::vector<std::uint64_t> forward;
  for (std::uint64_t t = 0; t < 100; ++t) forward.push_back(stream.bits(t, 3).first);
  for (std::uint64_t t = 100; t-- > 0;) EXPECT_EQ(again.bits(t, 3).first, forward[t]);

  // One argument changed at a time, high halves of 64-bit numbers too: all 128-bit blocks differ.
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto add = [&](std::uint64_t seed, Purpose purpose, std::uint64_t counter, std::uint32_t lane) {
    const auto [a, b] = Stream(seed, purpose).bits(counter, lane);
    EXPECT_TRUE(seen.emplace(a, b).second);
  };
  add(7, Purpose::noise, 5, 3);
  add(8, Purpose::noise, 5, 3);
  add(7 + (1ULL << 32), Purpose::noise, 5, 3);
  add(7, Purpose::samples, 5, 3);
  add(7, Purpose::generator, 5, 3);
  add(7, Purpose::noise, 6, 3);
  add(7, Purpose::noise, 5 + (1ULL << 32), 3);
  add(7, Purpose::noise, 5, 4);
  add(7, Purpose::noise, 3, 5);
}

TEST(Stream, UniformMoments) {
  const Stream stream(11, Purpose::generator);
  double sum = 0, squares = 0, neighbours = 0, lanes = 0;
  std::array<double, 64> cells{};
  for (std::uint64_t t = 0; t < draws; ++t) {
    const double u = stream.uniform(t), v = u - 0.5;
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += v * v;
    neighbours += v * (stream.uniform(t + 1) - 0.5);
    lanes += v * (stream.uniform(t, 1) - 0.5);
    cells[static_cast<std::size_t>(64 * u)] += 1;
  }
  // Var u = 1/12; Var (u - 1/2)^2 = 1/80 - 1/144 = 1/180; Var of a product of independents = 1/144.
  test::expect_mean(sum / count, 0.5, std::sqrt(1. / 12), count, "uniform");
  test::expect_mean(squares / count, 1. / 12, std::sqrt(1. / 180), count, "uniform squared");
  test::expect_mean(neighbours / count, 0, 1. / 12, count, "neighbouring counters");
  test::expect_mean(lanes / count, 0, 1. / 12, count, "neighbouring lanes");
  test::expect_even(cells, "uniform");
}

void expect_normal(const std::vector<double>& values, const char* what) {
  const auto n = static_cast<double>(values.size());
  std::array<double, 5> moment{};
  double tail = 0;
  for (const double v : values) {
    double power = 1;
    for (auto& m : moment) m += power / n, power *= v;
    tail += std::abs(v) > 2;
  }
  // E x^2, x^4, x^6, x^8 = 1, 3, 15, 105; P(|x| > 2) = 0.0455003.
  test::expect_mean(moment[1], 0, 1, n, what);
  test::expect_mean(moment[2], 1, std::sqrt(2), n, what);
  test::expect_mean(moment[3], 0, std::sqrt(15), n, what);
  test::expect_mean(moment[4], 3, std::sqrt(105 - 9), n, what);
  test::expect_mean(tail / n, 0.0455003, std::sqrt(0.0455003 * 0.9544997), n, what);
}

TEST(Stream, NormalMoments) {
  const Stream stream(12, Purpose::noise);
  std::vector<double> single(draws), even(draws), odd(draws);
  double pair = 0;
  for (std::size_t t = 0; t < draws; ++t) {
    single[t] = stream.normal(t, 9);
    Vector both(2);
    stream.fill_normal(both, t);
    even[t] = both[0];
    odd[t] = both[1];
    pair += both[0] * both[1] / count;
  }
  expect_normal(single, "normal");
  expect_normal(even, "first of a pair");
  expect_normal(odd, "second of a pair");
  test::expect_mean(pair, 0, 1, count, "the two of a pair");
}

TEST(Stream, FillNormalOfAnyLength) {
  const Stream stream(13, Purpose::noise);
  Vector longest(9);
  stream.fill_normal(longest, 4);
  EXPECT_EQ(longest[0], stream.normal(4));
  for (Index n = 0; n < 9; ++n) {
    Vector part(n);
    stream.fill_normal(part, 4);
    EXPECT_EQ(part, longest.head(n));
  }
}

TEST(Stream, Below) {
  const Stream stream(14, Purpose::samples);
  std::array<double, 7> cells{};
  for (std::uint64_t t = 0; t < draws; ++t) {
    const std::uint64_t k = stream.below(7, t);
    ASSERT_LT(k, 7U);
    cells[k] += 1;
    ASSERT_EQ(stream.below(1, t), 0U);
  }
  test::expect_even(cells, "below 7");
  // Counts that are no power of two and need all 64 bits: a method by remainders would hit the lower half
  // twice as often.
  const std::uint64_t large = (1ULL << 63) + (1ULL << 62);
  double lower = 0;
  for (std::uint64_t t = 0; t < draws; ++t) {
    const std::uint64_t k = stream.below(large, t);
    ASSERT_LT(k, large);
    lower += k < large / 2;
  }
  test::expect_mean(lower / count, 0.5, 0.5, count, "lower half");
}

}  // namespace
}  // namespace bridle
