// How much the readers of this process have read so far, for whoever shows it while they go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace bridle {

struct ReadMeter {
  std::atomic<std::uint64_t> bytes{0}, lines{0};           // handed out, unpacked
  std::atomic<std::uint64_t> on_disk{0}, on_disk_read{0};  // of the files that were opened
  std::atomic<std::uint64_t> piped{0};  // out of pipes, which are kept before they are read
  // Called now and then with the file that is being read; may throw what ends the reading. Set before it
  // begins.
  std::function<void(const std::string&)> watch = {};
};

inline ReadMeter& read_meter() {
  static ReadMeter meter;
  return meter;
}

}  // namespace bridle
