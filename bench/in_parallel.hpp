// Independent jobs of a benchmark on two threads.
#pragma once

#include "bridle/core/threads.hpp"

namespace bridle {

// job(0), ..., job(count - 1), in any order.
template <class Job>
void in_parallel(std::size_t count, const Job& job) {
  in_parallel(count, 2, job);
}

}  // namespace bridle
