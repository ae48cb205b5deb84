#pragma once

#include <algorithm>
#include <vector>

#include <time.h>

namespace bridle::bench {

// Of this thread: other programs' turns do not count.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double seconds_of(Work&& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

// The least of several rounds: what the caches lose to other programs only ever adds.
inline double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace bridle::bench
