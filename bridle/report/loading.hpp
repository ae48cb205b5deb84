// Reading that takes longer than a second is shown while it goes on: megabytes, lines, speed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace bridle {

// What has been read, after so many seconds; the share is 0 where the size of the files is not known. What a
// pipe gives is kept first, and read when all of it is there.
struct Loaded {
  std::uint64_t bytes = 0, lines = 0;
  double share = 0, seconds = 0;
  std::uint64_t piped = 0;
};
std::string loading_text(const Loaded& loaded);

// Shows it from its making to its end, in place on a terminal, else a line now and then. Null: nothing.
class LoadingScreen {
 public:
  explicit LoadingScreen(std::FILE* stream);
  ~LoadingScreen();
  LoadingScreen(const LoadingScreen&) = delete;
  LoadingScreen& operator=(const LoadingScreen&) = delete;

 private:
  void watch();

  std::FILE* stream_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace bridle
