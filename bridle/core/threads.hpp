// Work over several threads. What comes out never depends on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

namespace bridle {

// Processors that this process may run on: taskset counts.
inline unsigned processors() {
#ifdef CPU_COUNT
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

// What an option for threads gets: never more than there are processors, since they would only take turns. 0
// asks for all of them.
inline unsigned threads_asked_for(unsigned option) {
  return option > 0 ? std::min(option, processors()) : processors();
}

namespace detail {
inline std::atomic<unsigned> threads_of_passes{1};
inline thread_local bool inside_parallel = false;
}  // namespace detail

// How many threads a pass over all the data takes: full gradients and values. One unless told otherwise.
inline void use_threads(unsigned count) { detail::threads_of_passes = count > 0 ? count : 1; }
inline unsigned threads_in_use() { return detail::threads_of_passes; }

// task(k) for k = 0, ..., count - 1, each taken by the next free thread, in this order. The first exception
// is thrown on. Inside a task there is one thread. Where the system has no more threads or no memory for
// them, those that there are do all the work.
template <class Task>
void in_parallel(std::size_t count, unsigned threads, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::mutex failure_lock;
  std::exception_ptr failure;
  const auto work = [&] {
    const bool outside = !detail::inside_parallel;
    detail::inside_parallel = true;
    for (std::size_t k = next++; k < count; k = next++) {
      try {
        task(k);
      } catch (...) {
        const std::lock_guard lock(failure_lock);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
    if (outside) detail::inside_parallel = false;
  };
  std::vector<std::thread> pool;
  if (!detail::inside_parallel) try {
      for (std::size_t t = 1; t < threads && t < count; ++t) pool.emplace_back(work);
    } catch (const std::exception&) {  // no further thread: fewer do it
    }
  work();
  for (auto& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace bridle
