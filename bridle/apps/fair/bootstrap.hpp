// How far figures of a classifier would move had other people been in the data: intervals from resampled
// data.
#pragma once

#include "bridle/apps/fair/metrics.hpp"

namespace bridle {

struct Interval {
  std::string figure;
  double value = 0;          // on the data itself
  double low = 0, high = 0;  // the middle 95% of the resampled figures
};

// Every figure of the metrics, from `replicates` samples of the people with replacement. The weights stay as
// they are.
std::vector<Interval> bootstrap(const FairData& data, const Vector& scores, const Loss& loss, int replicates,
                                std::uint64_t seed);

}  // namespace bridle
