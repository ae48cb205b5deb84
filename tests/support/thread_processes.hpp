// Processes that work on one run, played by threads that meet.
#pragma once

#include <barrier>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bridle/core/processes.hpp"

namespace bridle::test {

// Where they leave figures for each other.
struct MeetingPlace {
  explicit MeetingPlace(Index count) : all(count), brought(static_cast<std::size_t>(count)) {}
  std::barrier<> all;
  std::vector<Vector> brought;
  std::mutex lock;
  std::condition_variable arrived;
  std::map<std::pair<Index, Index>, std::queue<Vector>> letters;  // from, to
};

class ThreadProcesses final : public Processes {
 public:
  ThreadProcesses(Index number, MeetingPlace& place) : number_(number), place_(place) {}
  Index count() const override { return static_cast<Index>(place_.brought.size()); }
  Index number() const override { return number_; }
  void sum(VectorRef figures) const override {
    meet(figures, [&](Vector& sum, std::size_t k) { sum += place_.brought[k]; });
  }
  void largest(VectorRef figures) const override {
    meet(figures, [&](Vector& most, std::size_t k) { most = most.cwiseMax(place_.brought[k]).eval(); });
  }
  void send(Index to, std::span<const double> numbers) const override {
    const std::lock_guard held(place_.lock);
    place_.letters[{number_, to}].push(vector_of(numbers));
    place_.arrived.notify_all();
  }
  void receive(Index from, std::span<double> numbers) const override {
    std::unique_lock held(place_.lock);
    auto& letters = place_.letters[{from, number_}];
    place_.arrived.wait(held, [&] { return !letters.empty(); });
    ASSERT_EQ(letters.front().size(), static_cast<Index>(numbers.size())) << "a letter of another size";
    std::copy(letters.front().begin(), letters.front().end(), numbers.begin());
    letters.pop();
  }
  void broadcast(Index from, std::span<double> numbers) const override {
    if (number_ == from) place_.brought[static_cast<std::size_t>(number_)] = vector_of(numbers);
    place_.all.arrive_and_wait();
    const Vector& said = place_.brought[static_cast<std::size_t>(from)];
    std::copy(said.begin(), said.end(), numbers.begin());
    place_.all.arrive_and_wait();  // none overwrites what another still reads
  }

 private:
  static Vector vector_of(std::span<const double> numbers) {
    return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
  }
  template <class Join>
  void meet(VectorRef figures, const Join& join) const {
    place_.brought[static_cast<std::size_t>(number_)] = figures;
    place_.all.arrive_and_wait();
    Vector joined = place_.brought[0];
    for (std::size_t k = 1; k < place_.brought.size(); ++k) join(joined, k);
    place_.all.arrive_and_wait();
    figures = joined;
  }

  Index number_;
  MeetingPlace& place_;
};

// work(processes) in each of so many.
inline void in_processes(Index count, const std::function<void(std::shared_ptr<const Processes>)>& work) {
  MeetingPlace place(count);
  std::vector<std::thread> threads;
  for (Index k = 0; k < count; ++k)
    threads.emplace_back([&, k] { work(std::make_shared<ThreadProcesses>(k, place)); });
  for (auto& thread : threads) thread.join();
}

}  // namespace bridle::test
