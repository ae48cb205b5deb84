#include "bridle/core/input_file.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridle/core/error.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/read_meter.hpp"

namespace bridle {
namespace {

using Identity = std::pair<dev_t, ino_t>;

std::mutex lock;
std::set<Identity> files_read;
std::map<Identity, int> pipes_kept;

Identity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

[[noreturn]] void refuse(const std::string& path, const char* attempt, int reason) {
  throw InputError(path, 0, std::string(attempt) + ": " + std::strerror(reason != 0 ? reason : ENOMEM));
}

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

void write_all(const std::string& path, int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, "cannot keep what a pipe gives", errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

// All that the pipe gives, in memory that has a descriptor.
int keep(const std::string& path, int pipe) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  Descriptor kept(::memfd_create("bridle input", MFD_CLOEXEC));
  if (kept.get() < 0) refuse(path, "cannot keep what a pipe gives", errno);
  std::vector<char> buffer(piece);
  for (;;) {
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, "cannot read", errno);
    if (got == 0) return kept.release();
    require_memory(2.0 * static_cast<double>(piece), path, "what comes out of this pipe");
    write_all(path, kept.get(), buffer.data(), static_cast<std::size_t>(got));
    read_meter().piped += static_cast<std::uint64_t>(got);
  }
}

int opened(const std::string& path, const std::string& name) {
  const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) refuse(path, "cannot open", errno);
  return file;
}

int again(const std::string& path, int kept) { return opened(path, "/proc/self/fd/" + std::to_string(kept)); }

bool stated(const std::string& path, struct stat& status) { return ::stat(path.c_str(), &status) == 0; }

int open_as(const std::string& path, const struct stat& status) {
  // open() of a directory succeeds; only the first read would fail, with a poor message.
  if (S_ISDIR(status.st_mode)) throw InputError(path, 0, "is a directory, not a file");
  if (S_ISREG(status.st_mode)) return opened(path, path);
  const auto known = pipes_kept.find(identity_of(status));
  if (known != pipes_kept.end()) return again(path, known->second);
  const Descriptor pipe(opened(path, path));
  const int kept = keep(path, pipe.get());
  pipes_kept.emplace(identity_of(status), kept);
  return again(path, kept);
}

std::string all_of(const std::string& path, int file) {
  std::string bytes;
  std::vector<char> piece(std::size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, "cannot read", errno);
    if (got == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

int open_input(const std::string& path) {
  const std::lock_guard hold(lock);
  struct stat status {};
  if (!stated(path, status)) refuse(path, "cannot open", errno);
  Descriptor file(open_as(path, status));
  if (S_ISREG(status.st_mode)) files_read.insert(identity_of(status));
  return file.release();
}

std::string read_input(const std::string& path) {
  const Descriptor file(open_input(path));
  return all_of(path, file.get());
}

std::optional<std::string> read_own(const std::string& path) {
  const std::lock_guard hold(lock);
  struct stat status {};
  if (!stated(path, status)) {
    if (errno == ENOENT) return std::nullopt;
    refuse(path, "cannot open", errno);
  }
  const Descriptor file(open_as(path, status));
  return all_of(path, file.get());
}

bool was_read(const std::string& path) {
  const std::lock_guard hold(lock);
  struct stat status {};
  return stated(path, status) && files_read.contains(identity_of(status));
}

}  // namespace bridle
