// Covariance rows: what is no more than rounding is exactly 0, and nothing else is.
#include "bridle/apps/data/covariance.hpp"

#include <gtest/gtest.h>

#include "tests/properties.hpp"

namespace bridle {
namespace {

// Moments of a day, in seconds since 1970, with a feature that follows them and an intercept.
struct Moments {
  DenseRows<double> rows{2000, 2};
  std::vector<double> seconds;
  Moments() {
    for (Index i = 0; i < rows.rows(); ++i) {
      seconds.push_back(1.7e9 + 43.0 * static_cast<double>((i * 7919) % 2000) + 1.0 / 3);
      rows(i, 0) = static_cast<double>(i % 13) * 1e-20;
      rows(i, 1) = 1;
    }
  }
};

TEST(CovarianceRow, AnInterceptDoesNotCovary) {
  const Moments of;
  const Vector row = covariance_row(of.rows, covariance_coefficients(of.seconds));
  EXPECT_EQ(row[1], 0);
}

TEST(CovarianceRow, AFeatureInSmallUnitsDoes) {
  const Moments of;
  const Vector row = covariance_row(of.rows, covariance_coefficients(of.seconds));
  long double mean = 0, sum = 0;
  for (const double s : of.seconds) mean += (s - 1.7e9L) / of.seconds.size();
  for (std::size_t i = 0; i < of.seconds.size(); ++i)
    sum += (of.seconds[i] - 1.7e9L - mean) * of.rows(static_cast<Index>(i), 0);
  EXPECT_NE(row[0], 0);
  EXPECT_NEAR(row[0] / static_cast<double>(sum / of.seconds.size()), 1, 1e-10);
}

TEST(CovarianceRow, OnlyThoseThatAreKept) {
  const Vector c = covariance_coefficients({1, 2, 9, 3}, {true, true, false, true});
  EXPECT_EQ(c, test::vec(-1.0 / 3, 0, 0, 1.0 / 3));
  EXPECT_EQ(covariance_coefficients({1, 2}, {false, false}), test::vec(0, 0));
}

}  // namespace
}  // namespace bridle
