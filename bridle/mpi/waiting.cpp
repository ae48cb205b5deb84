#ifdef BRIDLE_MPI
#include "bridle/mpi/waiting.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "bridle/mpi/session.hpp"

namespace bridle {
namespace {

double waited = 0;  // one thread talks to others

// Counts the time that it lives.
struct Waiting {
  using Clock = std::chrono::steady_clock;
  Clock::time_point began = Clock::now();
  ~Waiting() { waited += std::chrono::duration<double>(Clock::now() - began).count(); }
};

}  // namespace

double seconds_waited() { return waited; }

void wait_for(std::span<MPI_Request> requests, std::span<const int> ranks, double patience) {
  using Clock = Waiting::Clock;
  const Waiting waiting;
  // Who waits for longer than messages take is kept waiting by somebody who may need this core.
  constexpr auto soon = std::chrono::microseconds(500), nap = std::chrono::microseconds(50);
  const auto began = waiting.began;
  const auto deadline = began + std::chrono::duration<double>(patience);
  int done = 0;
  for (std::uint64_t tries = 0;; ++tries) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done) return;
    if (tries % 64 != 63) continue;
    const auto now = Clock::now();
    if (now - began > soon)
      std::this_thread::sleep_for(nap);
    else
      std::this_thread::yield();
    if (now < deadline) continue;
    std::string who;
    for (std::size_t k = 0; k < requests.size() && who.empty(); ++k) {
      int finished = 0;
      MPI_Test(&requests[k], &finished, MPI_STATUS_IGNORE);
      if (!finished) who = ranks[k] < 0 ? "a rank" : "rank " + std::to_string(ranks[k]);
    }
    if (!who.empty())
      throw RankLost(who + " has not answered for " + std::to_string(static_cast<int>(patience)) + " s");
  }
}

void wait_for(MPI_Request& request, double patience) {
  const int everybody = -1;
  wait_for(std::span(&request, 1), std::span(&everybody, 1), patience);
}

int message_size(Index count) {
  if (count > std::numeric_limits<int>::max())
    throw InputError("a message of " + std::to_string(count) +
                     " numbers is more than MPI takes: use more ranks, or fewer variables");
  return static_cast<int>(count);
}

}  // namespace bridle
#endif
