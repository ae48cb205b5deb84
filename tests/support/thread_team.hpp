// Processes that execute workers, played by threads that meet.
#pragma once

#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "bridle/core/team.hpp"

namespace bridle::test {

struct MeetingPlace {
  explicit MeetingPlace(Index count) : all(count), brought(static_cast<std::size_t>(count)) {}
  std::barrier<> all;
  std::vector<Matrix> brought;
};

class ThreadTeam final : public Team {
 public:
  ThreadTeam(Index number, MeetingPlace& place) : number_(number), place_(place) {}
  Index count() const override { return static_cast<Index>(place_.brought.size()); }
  Index number() const override { return number_; }
  void gather(const Matrix& mine, std::span<const Index>, Matrix& all) const override {
    place_.brought[static_cast<std::size_t>(number_)] = mine;
    place_.all.arrive_and_wait();
    Matrix joined(mine.rows(), 0);
    for (const Matrix& part : place_.brought) {
      joined.conservativeResize(mine.rows(), joined.cols() + part.cols());
      joined.rightCols(part.cols()) = part;
    }
    place_.all.arrive_and_wait();  // none overwrites what another still reads
    all = joined;
  }

 private:
  Index number_;
  MeetingPlace& place_;
};

// work(team) in each of so many.
inline void in_team(Index count, const std::function<void(std::shared_ptr<const Team>)>& work) {
  MeetingPlace place(count);
  std::vector<std::thread> threads;
  for (Index k = 0; k < count; ++k)
    threads.emplace_back([&, k] { work(std::make_shared<ThreadTeam>(k, place)); });
  for (auto& thread : threads) thread.join();
}

}  // namespace bridle::test
