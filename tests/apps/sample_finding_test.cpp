#include <cmath>

#include <gtest/gtest.h>

#include "bridle/apps/fair/rate_figures.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

// Selected of people, a group each.
RateSpread counted(const std::vector<std::pair<Index, Index>>& groups, int label = 0) {
  RateSpread out;
  for (std::size_t k = 0; k < groups.size(); ++k)
    out.cells.push_back(
        {"town", std::string(1, static_cast<char>('a' + k)), label, groups[k].second, groups[k].first});
  return out;
}

Finding of_gap(double gap, const std::vector<std::pair<Index, Index>>& groups) {
  return finding_of({.gap = gap}, counted(groups)).finding;
}
Finding of_ratio(double ratio, const std::vector<std::pair<Index, Index>>& groups) {
  return finding_of({.ratio = ratio}, counted(groups)).finding;
}

// Newcombe 1998, method 10: 56/70 - 48/80 has the interval 0.0524 to 0.3339.
TEST(SampleFinding, TheIntervalIsNewcombes) {
  const SampleFinding found = finding_of({.gap = 0.1}, counted({{56, 70}, {48, 80}}));
  EXPECT_NEAR(found.low, 0.0524, 5e-5);
  EXPECT_NEAR(found.high, 0.3339, 5e-5);
  EXPECT_EQ(found.finding, Finding::not_decided);
}

TEST(SampleFinding, IsWhatTheWholeIntervalSays) {
  EXPECT_EQ(of_gap(0.35, {{56, 70}, {48, 80}}), Finding::reached);
  EXPECT_EQ(of_gap(0.05, {{56, 70}, {48, 80}}), Finding::not_reached);
  EXPECT_EQ(of_gap(0.02, {{5000, 10000}, {5000, 10000}}), Finding::reached);
  EXPECT_EQ(of_gap(0.02, {{50, 100}, {50, 100}}), Finding::not_decided) << "a gap of 0, but of few people";
  EXPECT_EQ(of_gap(0.5, {{0, 3}, {3, 3}}), Finding::not_decided) << "rates of 0 and 1 have an error too";
  EXPECT_EQ(of_ratio(0.8, {{9000, 10000}, {8900, 10000}}), Finding::reached);
  EXPECT_EQ(of_ratio(0.8, {{9000, 10000}, {5000, 10000}}), Finding::not_reached);
  EXPECT_EQ(of_ratio(0.8, {{8, 10}, {9, 10}}), Finding::not_decided);
  EXPECT_EQ(of_ratio(0.8, {{0, 10}, {0, 10}}), Finding::not_decided);
}

TEST(SampleFinding, WhereACellHasNobodyNothingIsReached) {
  const SampleFinding found = finding_of({.gap = 0.5}, counted({{0, 0}, {5000, 10000}, {5000, 10000}}, 1));
  EXPECT_EQ(found.finding, Finding::not_measured);
  EXPECT_EQ(found.missing, Names{"town = a, positive label"});
  EXPECT_EQ(of_gap(0.5, {{0, 0}, {50, 100}}), Finding::not_measured);
  EXPECT_EQ(of_ratio(0.5, {{0, 0}, {50, 100}}), Finding::not_measured);
  EXPECT_EQ(of_gap(0.1, {{0, 0}, {9000, 10000}, {5000, 10000}}), Finding::not_reached)
      << "whatever the third is";
}

// Coverage at least 0.95 less three standard errors of 4000 draws (0.0034 each): false alarm in 1 of 700.
TEST(SampleFinding, TheIntervalCoversTheLargestGapAndTheSmallestRatio) {
  constexpr int draws = 4000;
  const double rates[] = {0.3, 0.25, 0.1};
  const Index people[] = {120, 60, 200};
  const Stream stream(5, Purpose::generator);
  int gaps = 0, ratios = 0;
  for (int k = 0; k < draws; ++k) {
    std::vector<std::pair<Index, Index>> groups;
    for (std::uint32_t g = 0; g < 3; ++g) {
      Index selected = 0;
      for (Index i = 0; i < people[g]; ++i)
        selected += stream.below(1000, static_cast<std::uint64_t>(1000 * k + i), g) < 1000 * rates[g];
      groups.emplace_back(selected, people[g]);
    }
    const SampleFinding gap = finding_of({}, counted(groups));
    const SampleFinding ratio = finding_of({.ratio = 0.8}, counted(groups));
    gaps += gap.low <= 0.2 && 0.2 <= gap.high;
    ratios += ratio.low <= 1.0 / 3 && 1.0 / 3 <= ratio.high;
  }
  EXPECT_GT(gaps, 0.94 * draws);
  EXPECT_GT(ratios, 0.94 * draws);
}

}  // namespace
}  // namespace bridle
