#include <cmath>

#include <gtest/gtest.h>

#include "bridle/apps/fair/flips.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

// Made-up people with `columns` features, the last one 1, and two sensitive columns of two and three groups.
// Labels and groups lean on the first features.
struct Crowd {
  FairData data;
  Features features;
  LinearScorer scorer{features};

  explicit Crowd(Index people, Index columns = 5)
      : data{"crowd", 0, 0, 0, DenseRows<double>(0, 0), Vector(people), {}, {}},
        features(DenseRows<double>(DenseRows<double>::Ones(people, columns))) {
    const Stream stream(7, Purpose::generator);
    DenseRows<double> x = DenseRows<double>::Ones(people, columns);
    Attribute two, three;
    two.name = "two";
    two.groups = {"a", "b"};
    three.name = "three";
    three.groups = {"p", "q", "r"};
    for (Index i = 0; i < people; ++i) {
      const auto at = [&](Index j) { return static_cast<std::uint64_t>(i * (columns + 3) + j); };
      for (Index j = 0; j + 1 < columns; ++j) x(i, j) = stream.normal(at(j));
      data.labels[i] = x(i, 0) + x(i, 1) + stream.normal(at(columns)) > 0 ? 1 : -1;
      two.codes.push_back(x(i, 0) + stream.normal(at(columns + 1)) > 0 ? 1 : 0);
      three.codes.push_back(static_cast<std::int32_t>(stream.below(3, at(columns + 2))));
    }
    features = Features(x);
    data.attributes = {two, three};
  }
};

Vector weights(const Crowd& crowd) {
  Vector w = Vector::LinSpaced(crowd.scorer.weights(), 1, -0.3);
  return w;
}

TEST(Cells, CountByHand) {
  Crowd crowd(6);
  crowd.data.labels << 1, 1, -1, 1, -1, -1;
  crowd.data.attributes[0].codes = {0, 0, 0, 1, 1, 1};
  crowd.data.attributes[1].codes = {0, 1, 2, 0, 1, 2};
  Vector scores(6);
  scores << 1, -1, 2, 3, 0, 1;  // a score of 0 is no positive decision
  crowd.data.attributes.pop_back();

  const Cells parity(crowd.data, Measure::demographic_parity);
  ASSERT_EQ(parity.size(), 2u);
  EXPECT_EQ(parity.selected(scores), (Vector(2) << 2, 2).finished());
  const Cells opportunity(crowd.data, Measure::equal_opportunity);
  EXPECT_EQ(opportunity[0].people, 2);
  EXPECT_EQ(opportunity[1].people, 1);
  EXPECT_EQ(opportunity.selected(scores), (Vector(2) << 1, 1).finished());
  const Cells odds(crowd.data, Measure::equalised_odds);
  ASSERT_EQ(odds.size(), 4u);
  EXPECT_EQ(odds.selected(scores), (Vector(4) << 1, 1, 1, 1).finished());
  EXPECT_EQ(gap_rows(odds, 0.1).size(), 2u) << "true positives with true positives, false with false";
}

TEST(Cells, IntersectionsAreTheCombinationsThatOccur) {
  Crowd crowd(200);
  const Attribute both = intersection_of(crowd.data.attributes);
  EXPECT_EQ(both.name, "two & three");
  EXPECT_EQ(both.groups.size(), 6u);
  Crowd other(10);
  const Attribute there = intersection_of(other.data.attributes, &both);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(
        there.groups[static_cast<std::size_t>(there.codes[i])],
        other.data.attributes[0].groups[static_cast<std::size_t>(other.data.attributes[0].codes[i])] + " & " +
            other.data.attributes[1].groups[static_cast<std::size_t>(other.data.attributes[1].codes[i])]);
}

TEST(Cells, SmallGroupsAreLeftOutAndTwoMustRemain) {
  Crowd crowd(6);
  crowd.data.attributes.pop_back();
  crowd.data.attributes[0].codes = {0, 0, 0, 0, 0, 1};
  EXPECT_EQ(Cells(crowd.data, Measure::demographic_parity).left_out(), 0);
  EXPECT_THROW(Cells(crowd.data, Measure::demographic_parity, 2), InputError);
}

TEST(RateRows, BoundsAreMetInCountsNotInRoundedRates) {
  Crowd crowd(150);
  crowd.data.attributes.pop_back();
  auto& codes = crowd.data.attributes[0].codes;
  for (std::size_t i = 0; i < 150; ++i) codes[i] = i < 50 ? 0 : 1;
  const Cells cells(crowd.data, Measure::demographic_parity);
  const auto rows = gap_rows(cells, 0.02);
  const auto counted = [&](double first, double second) {
    return largest_excess(rows, cells, (Vector(2) << first, second).finished());
  };
  EXPECT_EQ(counted(1, 0), 0) << "1 of 50 and 0 of 100 are exactly 0.02 apart";
  EXPECT_EQ(counted(29, 56), 0) << "0.58 and 0.56";
  EXPECT_NEAR(counted(29, 55), 0.01, 1e-15);
  EXPECT_NEAR(counted(25, 53), 0.01, 1e-15) << "in either direction";
  const auto fifths = ratio_rows(cells, 0.8);
  EXPECT_EQ(largest_excess(fifths, cells, (Vector(2) << 20, 50).finished()), 0) << "0.4 is 0.8 of 0.5";
  EXPECT_GT(largest_excess(fifths, cells, (Vector(2) << 19, 50).finished()), 0);
}

TEST(SmoothedRates, JacobianIsTheDerivative) {
  const Crowd crowd(300);
  const Vector w = weights(crowd);
  for (const Measure measure :
       {Measure::demographic_parity, Measure::equal_opportunity, Measure::equalised_odds}) {
    const Cells cells(crowd.data, measure);
    const auto rows = ratio_rows(cells, 0.7);
    const Slopes slopes = slopes_of(cells, crowd.scorer.scores(w), 0.8);
    const auto at = [&](const Vector& point) {
      return smoothed_rows(cells, rows, slopes, crowd.scorer, point, crowd.scorer.scores(point));
    };
    const SmoothedRows here = at(w);
    // Central differences: the error is h^2/6 times a third derivative, some slope^3; what is neglected in a
    // sigmoid's tail adds 1e-5 slope.
    const double h = 1e-5, allowed = 2e-5 * slopes.maxCoeff() + h * h * std::pow(slopes.maxCoeff(), 3);
    for (Index j = 0; j < w.size(); ++j) {
      const Vector step = h * Vector::Unit(w.size(), j);
      const Vector difference = (at(w + step).values - at(w - step).values) / (2 * h);
      EXPECT_LT((difference - here.jacobian.col(j)).lpNorm<Eigen::Infinity>(), allowed);
    }
  }
}

TEST(SmoothedRates, AtTheOriginRowsAreDifferencesOfGroupMeans) {
  const Crowd crowd(100);
  const Cells cells(crowd.data, Measure::demographic_parity);
  const auto rows = gap_rows(cells, 0.1);
  const Vector zero = Vector::Zero(crowd.scorer.weights());
  const Vector scores = crowd.scorer.scores(zero);
  const SmoothedRows at =
      smoothed_rows(cells, rows, slopes_of(cells, scores, 1.7), crowd.scorer, zero, scores);
  Vector means[2] = {zero, zero};
  for (Index i = 0; i < 100; ++i) {
    const auto group = static_cast<std::size_t>(crowd.data.attributes[0].codes[static_cast<std::size_t>(i)]);
    crowd.features.add_row(i, 1.0 / static_cast<double>(cells[group].people), means[group]);
  }
  EXPECT_LT((at.jacobian.row(0).transpose() - 0.25 * (means[1] - means[0])).norm(), 1e-14);
}

TEST(SmoothedRates, SteepSigmoidsApproachTheCounts) {
  const Crowd crowd(2000);
  const Cells cells(crowd.data, Measure::equalised_odds);
  const Vector scores = crowd.scorer.scores(weights(crowd));
  const Vector smoothed =
      smoothed_rates(cells, Vector::Constant(static_cast<Index>(cells.size()), 1e6), scores);
  EXPECT_LT((smoothed - rates_of(cells, cells.selected(scores))).lpNorm<Eigen::Infinity>(), 1e-3);
}

TEST(Flips, TheFirstStopIsWhatCountingEverywhereFinds) {
  const Crowd crowd(120);
  const Cells cells(crowd.data, Measure::demographic_parity);
  const auto rows = gap_rows(cells, 0.15);
  const Vector scores = crowd.scorer.scores(weights(crowd));
  const Vector change = crowd.scorer.scores(Vector::Unit(crowd.scorer.weights(), 0)) * -1.0;
  const auto excess_at = [&](double t) {
    return largest_excess(rows, cells, cells.selected(scores + t * change));
  };
  ASSERT_GT(excess_at(0), 0);
  const Stop stop = first_stop(cells, rows, scores, change, 3);
  ASSERT_EQ(stop.excess, 0);
  EXPECT_EQ(excess_at(stop.length), 0);
  for (double t = 0; t < stop.length; t += 1e-3)
    if (excess_at(t) == 0) {
      EXPECT_NEAR(t, stop.length, 0.1) << "between the same two flips";
    }
}

TEST(Flips, WalksMeetAnyNumberOfRows) {
  Crowd crowd(3000, 8);
  const Vector w = weights(crowd);
  for (const Measure measure :
       {Measure::demographic_parity, Measure::equal_opportunity, Measure::equalised_odds})
    for (const double gap : {0.05, 0.01}) {
      // Eight rows for eight weights would be a matter of luck.
      if (measure == Measure::equalised_odds) crowd.data.attributes.resize(1);
      const Cells cells(crowd.data, measure);
      const auto rows = gap_rows(cells, gap);
      ASSERT_GT(largest_excess(rows, cells, cells.selected(crowd.scorer.scores(w))), 0);
      const Walk walk = walk_to_bounds(cells, rows, crowd.scorer, w, 1.7);
      EXPECT_EQ(walk.excess, 0) << to_string(measure) << ' ' << gap;
      EXPECT_EQ(largest_excess(rows, cells, cells.selected(crowd.scorer.scores(walk.w))), 0);
      EXPECT_GT(walk.distance, 0);
    }
}

TEST(Flips, WhereNoWeightsHelpTheBestIsReturned) {
  Crowd crowd(40, 2);
  crowd.data.attributes.pop_back();
  const Cells cells(crowd.data, Measure::demographic_parity);
  auto rows = gap_rows(cells, 0.001);
  rows.front().lower = rows.front().upper = 2;  // out of reach of any rates
  const Walk walk = walk_to_bounds(cells, rows, crowd.scorer, weights(crowd), 1.7);
  EXPECT_GT(walk.excess, 0.9);
  EXPECT_TRUE(walk.w.allFinite());
}

}  // namespace
}  // namespace bridle
