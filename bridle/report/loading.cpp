#include "bridle/report/loading.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

#include "bridle/core/read_meter.hpp"

namespace bridle {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds first_wait = 1s, in_place = 200ms, lines_apart = 5s;

}  // namespace

std::string loading_text(const Loaded& loaded) {
  const double megabytes = 1e-6 * static_cast<double>(loaded.bytes);
  if (loaded.bytes == 0)
    return fmt::format("reading     {:.0f} MB out of a pipe, {:.0f} MB/s",
                       1e-6 * static_cast<double>(loaded.piped),
                       1e-6 * static_cast<double>(loaded.piped) / std::max(loaded.seconds, 1e-9));
  std::string out = fmt::format("reading     {:.0f} MB, {} rows, {:.0f} MB/s", megabytes, loaded.lines,
                                megabytes / std::max(loaded.seconds, 1e-9));
  if (loaded.share > 0 && loaded.share <= 1)
    out += fmt::format(", {:.0f}%, about {:.0f} s left", 100 * loaded.share,
                       loaded.seconds * (1 / loaded.share - 1));
  return out;
}

LoadingScreen::LoadingScreen(std::FILE* stream) : stream_(stream) {
  if (stream_) thread_ = std::thread([this] { watch(); });
}

LoadingScreen::~LoadingScreen() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void LoadingScreen::watch() {
  const bool terminal = ::isatty(::fileno(stream_));
  const auto start = std::chrono::steady_clock::now();
  const ReadMeter& meter = read_meter();
  const std::uint64_t bytes = meter.bytes, lines = meter.lines, disk = meter.on_disk,
                      read = meter.on_disk_read, piped = meter.piped;
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (std::chrono::milliseconds wait = first_wait; !over_.wait_for(lock, wait, [this] { return done_; });
       wait = terminal ? in_place : lines_apart) {
    if (meter.bytes == bytes && meter.piped == piped) continue;
    const double total = static_cast<double>(meter.on_disk - disk);
    const Loaded loaded{meter.bytes - bytes, meter.lines - lines,
                        total > 0 ? static_cast<double>(meter.on_disk_read - read) / total : 0,
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                        meter.piped - piped};
    fmt::print(stream_, "{}{}{}", terminal ? "\r\033[K" : "", loading_text(loaded), terminal ? "" : "\n");
    std::fflush(stream_);
    shown = true;
  }
  if (shown && terminal) fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
}

}  // namespace bridle
