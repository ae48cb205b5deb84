// Every loss passes the same properties: those of all_losses() at their defaults by themselves, others by a
// line in `cases`.
#include "bridle/problem/losses/losses.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace bridle {
namespace {

using NamedLoss = std::pair<std::string, Loss>;

std::vector<NamedLoss> cases() {
  std::vector<NamedLoss> out;
  for (const auto& entry : all_losses()) out.emplace_back(entry.name, entry.loss);
  for (const double shift : {0.1, 3.0, 20.0})
    out.emplace_back("logistic-difference_" + std::to_string(shift), LogisticDifferenceLoss{shift});
  out.emplace_back("huber_narrow", HuberLoss{0.1});
  out.emplace_back("tukey_narrow", TukeyLoss{0.5});
  for (auto& [name, loss] : out)
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return out;
}

class LossTest : public testing::TestWithParam<NamedLoss> {
 protected:
  const Loss loss_ = GetParam().second;
  std::vector<double> labels() const {
    return is_classification(loss_) ? std::vector<double>{-1, 1} : std::vector<double>{-0.7, 0, 2.5};
  }
};

// Points off the kinks of V'' (their distance from 0.1, 0.5, 1, 4.685 exceeds h); truncation is below 1e-9
// there.
TEST_P(LossTest, SlopeAgainstCentralDifferences) {
  constexpr double h = 1e-5;
  for (const double label : labels())
    for (double t = -9.87123; t < 10; t += 0.0137) {
      const double difference = (loss_value(loss_, t + h, label) - loss_value(loss_, t - h, label)) / (2 * h);
      EXPECT_NEAR(loss_slope(loss_, t, label), difference, 1e-8) << "t " << t << ", label " << label;
    }
}

TEST_P(LossTest, BendAgainstCentralDifferences) {
  constexpr double h = 1e-5;
  for (const double label : labels())
    for (double t = -9.87123; t < 10; t += 0.0137) {
      const double difference = (loss_slope(loss_, t + h, label) - loss_slope(loss_, t - h, label)) / (2 * h);
      EXPECT_NEAR(loss_bend(loss_, t, label), difference, 1e-8) << "t " << t << ", label " << label;
    }
}

TEST_P(LossTest, CurvatureBoundsTheSlopeAndIsNearlyAttained) {
  constexpr double h = 1e-3;
  const double bound = loss_curvature(loss_);
  double largest = 0;
  for (const double label : labels())
    for (int k = -25'000; k < 25'000; ++k) {
      const double t = k * h;
      largest =
          std::max(largest, std::abs(loss_slope(loss_, t + h, label) - loss_slope(loss_, t, label)) / h);
    }
  EXPECT_LE(largest, bound * (1 + 1e-6));
  EXPECT_GE(largest, 0.5 * bound) << "a bound twice too large makes every step twice too small";
}

TEST_P(LossTest, ExtremeOutputs) {
  for (const double label : labels())
    for (const double t : {-800.0, 800.0, -1e8, 1e8}) {
      EXPECT_TRUE(std::isfinite(loss_value(loss_, t, label))) << t;
      EXPECT_TRUE(std::isfinite(loss_slope(loss_, t, label))) << t;
      EXPECT_TRUE(std::isfinite(loss_bend(loss_, t, label))) << t;
      EXPECT_GE(loss_value(loss_, t, label), 0) << t;
    }
}

INSTANTIATE_TEST_SUITE_P(Losses, LossTest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.first; });

// A shift beyond what an exponential can express: between -shift and 0 nearly all of the slope is there.
TEST(Losses, ALargeShiftIsAnother) {
  const LogisticDifferenceLoss loss(1000);
  for (const double m : {-720.0, -750.0, -800.0, -100.0}) EXPECT_NEAR(loss.slope(m, 1), -1, 1e-12) << m;
  for (const double m : {-1100.0, 100.0}) EXPECT_NEAR(loss.slope(m, 1), 0, 1e-12) << m;
}

struct Hand {
  Loss loss;
  double t, label, value, slope;
};

TEST(Losses, ByHand) {
  const double e = std::exp(1.0);
  const Hand hands[] = {
      {SquaredLoss{}, 3, 1, 2, 2},
      {SquaredLoss{}, -2, 1, 4.5, -3},
      {LogisticLoss{}, 0, 1, std::log(2), -0.5},
      {LogisticLoss{}, 0, -1, std::log(2), 0.5},
      {LogisticLoss{}, 1, -1, std::log(1 + e), e / (1 + e)},
      {LogisticLoss{}, -800, 1, 800, -1},
      {LogisticLoss{}, 800, 1, 0, 0},
      // m = 0: log 2 - log(1 + 1/e); slope -(1/2 - 1/(1 + e)).
      {LogisticDifferenceLoss{1}, 0, 1, std::log(2) - std::log1p(1 / e), -(0.5 - 1 / (1 + e))},
      {LogisticDifferenceLoss{3}, -800, 1, 3, 0},
      {LogisticDifferenceLoss{3}, -800, -1, 0, 0},
      // m = 1/2: 1/32 - 3/8 + 1/2 = 5/32; slope 3/4 (1/4 - 1) = -9/16, times the label.
      {SmoothedZeroOneLoss{}, 0.5, 1, 5. / 32, -9. / 16},
      {SmoothedZeroOneLoss{}, -0.5, -1, 5. / 32, 9. / 16},
      {SmoothedZeroOneLoss{}, 0, 1, 0.5, -0.75},
      {SmoothedZeroOneLoss{}, 1, 1, 0, 0},
      {SmoothedZeroOneLoss{}, 7, 1, 0, 0},
      {SmoothedZeroOneLoss{}, 7, -1, 1, 0},
      {HuberLoss{2}, 3, 2, 0.5, 1},
      {HuberLoss{2}, 5, 0, 8, 2},  // 2 (5 - 1)
      {HuberLoss{2}, -5, 0, 8, -2},
      {CauchyLoss{}, 2, 0, std::log(5), 0.8},
      {CauchyLoss{}, 0, 1, std::log(2), -1},
      // width 2, r = 1: rest = 3/4; value 4/6 (1 - 27/64) = 37/96, slope 9/16.
      {TukeyLoss{2}, 3, 2, 37. / 96, 9. / 16},
      {TukeyLoss{2}, 10, 2, 2. / 3, 0},
  };
  for (const auto& [loss, t, label, value, slope] : hands) {
    EXPECT_NEAR(loss_value(loss, t, label), value, 1e-14 * (1 + value)) << loss_name(loss) << " at " << t;
    EXPECT_NEAR(loss_slope(loss, t, label), slope, 1e-14) << loss_name(loss) << " at " << t;
  }
}

TEST(Losses, ByName) {
  for (const auto& entry : all_losses()) {
    ASSERT_TRUE(find_loss(entry.name)) << entry.name;
    EXPECT_EQ(loss_name(*find_loss(entry.name)), entry.name);
    EXPECT_EQ(is_classification(entry.loss), entry.classification);
    EXPECT_FALSE(entry.meaning.empty());
  }
  EXPECT_FALSE(find_loss("hinge"));
}

}  // namespace
}  // namespace bridle
