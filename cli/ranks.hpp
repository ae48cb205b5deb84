// What subcommands that run under mpirun share.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/mpi/session.hpp"

#include "command.hpp"

namespace bridle::cli {

// What OMP_NUM_THREADS says, which schedulers set.
std::optional<unsigned> threads_said();

// On which processors the ranks may run. A rank takes a thread for each of its own, or for its share of them
// where several ranks have the same ones; what OMP_NUM_THREADS says goes before.
class RankProcessors {
 public:
  explicit RankProcessors(const MpiSession& session);  // a collective
  // For a rank that works while the others sleep.
  void take_those_of_the_machine() const;

 private:
  std::string mine_;
  std::vector<std::string> of_all_;  // empty: threads are not shared out here
};

// Runs `work` on every rank. A rank that does not answer, or an error that the other ranks do not know of,
// ends all of them: they cannot be asked to stop. `advice` is added to the line about a lost rank.
template <class Work>
int among_ranks(const MpiSession& session, const std::string& advice, Work&& work) {
  try {
    return work();
  } catch (const RankLost& lost) {
    fmt::print(stderr, "bridle: rank {}: {}; the run is ended{}\n", session.rank(), lost.what(), advice);
    session.abort(exit_rank_lost);
  } catch (const ErrorOfAll&) {  // rank 0 tells
    throw;
  } catch (const std::exception& error) {  // such as a full disk, or no memory
    if (session.ranks() == 1) throw;
    // All ranks may have met it: rank 0 is first to say so, and ends the others before they do.
    if (session.rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(5));
    fmt::print(stderr, "bridle: error: rank {}: {}\n", session.rank(), error.what());
    session.abort(exit_bad_input);
  }
}

}  // namespace bridle::cli
