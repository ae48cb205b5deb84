#include "bridle/core/sampling.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tolerances.hpp"

namespace bridle {
namespace {

std::vector<std::uint64_t> order(const KeyedPermutation& permutation, std::uint64_t count) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t k = 0; k < count; ++k) out.push_back(permutation(k));
  return out;
}

bool visits_each_once(std::vector<std::uint64_t> visited) {
  std::sort(visited.begin(), visited.end());
  for (std::uint64_t k = 0; k < visited.size(); ++k)
    if (visited[k] != k) return false;
  return true;
}

TEST(KeyedPermutation, IsABijection) {
  for (const std::uint64_t count : {1, 2, 3, 4, 5, 16, 17, 1000, 4096, 4097})
    for (const std::uint64_t seed : {0, 1, 99}) {
      KeyedPermutation permutation(count, seed);
      for (const std::uint64_t epoch : {0, 1, 2, 1'000'000}) {
        permutation.set_epoch(epoch);
        EXPECT_TRUE(visits_each_once(order(permutation, count)))
            << "count " << count << ", seed " << seed << ", epoch " << epoch;
      }
    }
}

TEST(KeyedPermutation, ManyAtOnceAreTheSame) {
  for (const std::uint64_t count : {1, 5, 17, 255, 256}) {
    const KeyedPermutation permutation(count, 3);
    std::vector<std::uint64_t> positions(count);
    std::iota(positions.begin(), positions.end(), 0);
    permutation(positions);
    EXPECT_EQ(positions, order(permutation, count)) << count;
  }
}

TEST(KeyedPermutation, DiffersByEpochAndSeed) {
  for (const std::uint64_t count : {16, 17, 1000, 4097}) {
    KeyedPermutation permutation(count, 1);
    const auto first = order(permutation, count);
    permutation.set_epoch(1);
    EXPECT_NE(order(permutation, count), first);
    permutation.set_epoch(0);
    EXPECT_EQ(order(permutation, count), first);
    EXPECT_NE(order(KeyedPermutation(count, 2), count), first);
    EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  }
}

// Over many epochs every sample comes first equally often, and follows every other equally often.
TEST(KeyedPermutation, OrdersAreEven) {
  constexpr std::uint64_t count = 1000, epochs = 40'000, cells = 50;
  KeyedPermutation permutation(count, 5);
  std::array<double, cells> first{}, last{}, next{};
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    permutation.set_epoch(epoch);
    ++first[permutation(0) * cells / count];
    ++last[permutation(count - 1) * cells / count];
    ++next[(permutation(6) + count - permutation(5)) % count * cells / count];
  }
  test::expect_even(first, "first of an epoch");
  test::expect_even(last, "last of an epoch");
  test::expect_even(next, "step from draw to draw");
}

// Four rounds on few bits are not quite even: a few percent off for a dozen samples, which no epoch-wise
// method feels. (Standard error here: 0.5% of the mean.)
TEST(KeyedPermutation, FewSamplesAreNearlyEven) {
  constexpr std::uint64_t count = 12, epochs = 400'000;
  KeyedPermutation permutation(count, 5);
  std::array<double, count> first{}, next{};
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    permutation.set_epoch(epoch);
    ++first[permutation(0)];
    ++next[(permutation(6) + count - permutation(5)) % count];
  }
  for (const double times : first) EXPECT_NEAR(times * count / epochs, 1, 0.2);
  for (std::size_t k = 1; k < count; ++k) EXPECT_NEAR(next[k] * (count - 1) / epochs, 1, 0.2);
}

TEST(Sampler, ReshuffledEpochsVisitEverySampleOnce) {
  for (const Index count : {1, 2, 3, 5, 17, 1000}) {
    Sampler sampler(count, Sampling::reshuffled, 3);
    std::vector<std::uint64_t> before;
    std::uint64_t draw = 0;
    for (int epoch = 0; epoch < 4; ++epoch) {
      std::vector<std::uint64_t> visited;
      for (Index k = 0; k < count; ++k) visited.push_back(sampler(draw++));
      EXPECT_TRUE(visits_each_once(visited)) << "count " << count << ", epoch " << epoch;
      EXPECT_TRUE(count < 10 || visited != before);
      before = visited;
    }
  }
}

TEST(Sampler, RandomAccessEqualsSequential) {
  for (const Sampling sampling : {Sampling::independent, Sampling::reshuffled})
    for (const Index count : {Index{1}, Index{7}, Index{1000}, endless}) {
      Sampler sampler(count, sampling, 21);
      std::vector<Sample> sequence;
      for (std::uint64_t t = 0; t < 3000; ++t) sequence.push_back(sampler(t));
      Sampler fresh(count, sampling, 21);
      const Stream jumps(1, Purpose::generator);
      for (std::uint64_t k = 0; k < 3000; ++k) {
        const std::uint64_t t = jumps.below(3000, k);
        ASSERT_EQ(fresh(t), sequence[t]);
      }
      Sampler other(count, sampling, 22);
      bool differs = false;
      for (std::uint64_t t = 0; t < 3000; ++t) differs |= other(t) != sequence[t];
      EXPECT_EQ(differs, count != 1);
    }
}

TEST(SamplesAhead, AreTheSamplersAtAnyStart) {
  for (const Sampling sampling : {Sampling::independent, Sampling::reshuffled})
    for (const Index count : {Index{1}, Index{7}, Index{1000}, endless})
      for (const std::uint64_t start : {0, 995, 5000}) {
        Sampler sampler(count, sampling, 21);
        SamplesAhead ahead(Sampler(count, sampling, 21));
        for (std::uint64_t t = start; t < start + 500; ++t) {
          ASSERT_EQ(ahead(t), sampler(t));
          ASSERT_EQ(ahead.peek(t + SamplesAhead::reach), sampler(t + SamplesAhead::reach));
        }
      }
}

TEST(Sampler, IndependentDrawsAreEven) {
  constexpr Index count = 11;
  Sampler sampler(count, Sampling::independent, 8);
  std::array<double, count> cells{};
  std::array<double, count * count> pairs{};
  Sample before = sampler(0);
  for (std::uint64_t t = 1; t < 200'000; ++t) {
    const Sample now = sampler(t);
    ASSERT_LT(now, static_cast<Sample>(count));
    ++cells[now];
    ++pairs[before * count + now];
    before = now;
  }
  test::expect_even(cells, "samples");
  test::expect_even(pairs, "pairs of successive samples");
}

// An endless stream has no epochs: whatever the sampling, draws are 64 random bits and never repeat.
TEST(Sampler, EndlessStream) {
  Sampler sampler(endless, Sampling::reshuffled, 8);
  std::vector<Sample> seen;
  for (std::uint64_t t = 0; t < 10'000; ++t) seen.push_back(sampler(t));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace bridle
