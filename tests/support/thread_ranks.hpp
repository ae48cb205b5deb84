// Ranks that work on one run, played by threads that meet.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bridle/network/ranks.hpp"

namespace bridle::test {

// What a rank brings to where all meet: what it has to say, or the error that it has met.
struct Brought {
  std::string text;
  bool error = false;
};

// Where they leave it for each other. (std::barrier waits by yielding, which takes long on a busy machine.)
class MeetingOfRanks {
 public:
  explicit MeetingOfRanks(int count) : brought_(static_cast<std::size_t>(count)) {}
  std::size_t count() const { return brought_.size(); }

  // What all have brought, in their order, when all have come.
  std::vector<Brought> meet(int rank, Brought mine) {
    std::unique_lock held(lock_);
    brought_[static_cast<std::size_t>(rank)] = std::move(mine);
    const long meeting = meetings_;
    if (++come_ == count()) {
      come_ = 0;
      ++meetings_;
      heard_ = brought_;  // the next meeting is not over before all have heard of this one
      over_.notify_all();
    }
    over_.wait(held, [&] { return meetings_ > meeting; });
    return heard_;
  }

 private:
  std::mutex lock_;
  std::condition_variable over_;
  std::vector<Brought> brought_, heard_;
  std::size_t come_ = 0;
  long meetings_ = 0;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, MeetingOfRanks& meeting) : rank_(rank), meeting_(meeting) {}
  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(meeting_.count()); }
  std::vector<std::string> all(std::string mine) const override { return exchange({std::move(mine)}); }
  std::vector<std::string> exchange(Brought mine) const {
    std::vector<std::string> texts;
    for (const auto& [text, error] : meeting_.meet(rank_, std::move(mine))) {
      if (error) throw ErrorOfAll(text);
      texts.push_back(text);
    }
    return texts;
  }

 private:
  int rank_;
  MeetingOfRanks& meeting_;
};

// work(rank) in each of so many; the error that each ends with, empty where there is none.
inline std::vector<std::string> in_ranks(int count, const std::function<void(const Ranks&)>& work) {
  MeetingOfRanks meeting(count);
  std::vector<std::string> errors(meeting.count());
  const auto together = [&](const ThreadRanks& rank) {
    try {
      work(rank);
    } catch (const ErrorOfAll&) {
      throw;
    } catch (const InputError& error) {
      rank.exchange({error.what(), true});
    }
    rank.all("");
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      try {
        together(ThreadRanks(k, meeting));
      } catch (const ErrorOfAll& error) {
        errors[static_cast<std::size_t>(k)] = error.what();
      }
    });
  for (auto& thread : threads) thread.join();
  return errors;
}

}  // namespace bridle::test
