// Reading that cannot end in time is given up, and reading that was held up for a while is not.
#include "bridle/core/reading_pace.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace bridle {
namespace {

constexpr double allowed = 3, total = 50e6;

struct End {
  double seconds = 0, expected = 0;  // when it was given up; 0: it never was
};

// Looks every hundredth of a second, of which none sees anything while nothing is read.
End read(const std::function<double(double)>& bytes_at) {
  ReadingPace pace(allowed);
  double before = 0;
  for (int k = 1;; ++k) {
    const double seconds = 0.01 * k, bytes = std::min(total, bytes_at(seconds));
    if (bytes == total) return {};
    if (bytes == before && seconds < allowed) continue;
    pace.look(seconds, before = bytes, total);
    if (pace.hopeless()) return {seconds, pace.expected_seconds()};
  }
}

TEST(ReadingPace, SteadyReading) {
  EXPECT_EQ(read([](double t) { return t * total / 2.9; }).seconds, 0);
  const End slow = read([](double t) { return t * total / 10; });
  EXPECT_NEAR(slow.seconds, allowed / 2, 0.02);
  EXPECT_NEAR(slow.expected, 10, 1e-6);
}

// Nothing, or no more than a first piece, for more than half the time; and then all of it within 0.3 s.
TEST(ReadingPace, AStalledBeginningIsMadeUpFor) {
  for (const double piece : {0.0, 1e6})
    EXPECT_EQ(read([&](double t) { return t < 2 ? piece : piece + (t - 2) * total / 0.3; }).seconds, 0);
}

// A good beginning keeps hope alive for as long as its speed would do; what it takes then is told by the late
// speed.
TEST(ReadingPace, AStalledEnd) {
  const End end = read([](double t) { return t < 0.5 ? t * total : 0.5 * total + (t - 0.5) * total / 100; });
  EXPECT_NEAR(end.seconds, 2.53, 0.02);  // at a speed of one file a second 0.48 of it would take too long
  EXPECT_NEAR(end.expected, end.seconds + 48, 0.1);
  const End still = read([](double t) { return std::min(t, 0.5) * total; });
  EXPECT_NEAR(still.seconds, allowed, 0.02);
  EXPECT_GT(still.expected, allowed);
}

}  // namespace
}  // namespace bridle
