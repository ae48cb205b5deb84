// How long the ranks of a run have waited for each other: who waits least is who the others wait for.
#pragma once

#include <string>
#include <vector>

#include "bridle/report/json.hpp"

namespace bridle {

struct RankTimes {
  double before = 0;   // seconds that it waited before the run began: for ranks that started or read later
  double waited = 0;   // and in the run
  double seconds = 0;  // that the run took it
  unsigned threads = 1;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(before, waited, seconds, threads);
  }
};

// An entry for each rank: its threads, how much later than the first it was ready, how long it waited in the
// run.
Json to_json(const std::vector<RankTimes>& ranks);
// A line, and one more for ranks that were late, or slow.
std::string rank_text(const std::vector<RankTimes>& ranks);

}  // namespace bridle
