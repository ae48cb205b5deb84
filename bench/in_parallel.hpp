// Independent jobs of a benchmark on two threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

namespace bridle {

// job(0), ..., job(count - 1), in any order.
template <class Job>
void in_parallel(std::size_t count, const Job& job) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) job(i);
  };
  std::thread helper(work);
  work();
  helper.join();
}

}  // namespace bridle
