#include "bridle/report/lost_output.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>

namespace bridle {
namespace {

std::atomic<bool> lost{false}, stream_lost{false};

void lose_stream(std::FILE* stream, int reason) {
  if (stream == stderr || stream_lost.exchange(true)) {  // nowhere to tell it, or told
    lost = true;
    return;
  }
  report_lost_output(std::string("standard output: cannot write: ") +
                     std::strerror(reason != 0 ? reason : EIO));
}

}  // namespace

void report_lost_output(const std::string& message) {
  lost = true;
  std::fprintf(stderr, "bridle: error: %s\n", message.c_str());
}

bool output_was_lost() { return lost; }

void print_checked(std::FILE* stream, const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0)
    lose_stream(stream, errno);
}

void check_stream(std::FILE* stream) {
  errno = 0;
  if (std::fflush(stream) != 0 || std::ferror(stream) != 0) lose_stream(stream, errno);
}

}  // namespace bridle
