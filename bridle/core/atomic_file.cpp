#include "bridle/core/atomic_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "bridle/core/error.hpp"
#include "bridle/core/unfinished_files.hpp"

namespace bridle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = 65536;
constexpr std::size_t longest_name = 200;  // of the target's name in the other one; file systems stop at 255
constexpr int longest_chain = 40;          // of links; the system's own limit

// Names of unfinished files, where a handler of signals finds them: plain bytes, no memory to be had.
struct Unfinished {
  enum State : int { empty, filling, full };
  std::atomic<int> state{empty};
  char name[4096] = {};
};
std::array<Unfinished, 16> unfinished;

// Where a chain of links ends, also when there is no file yet.
std::string end_of_links(const std::string& path, std::error_code& trouble) {
  fs::path out = path;
  for (int k = 0; fs::is_symlink(fs::symlink_status(out, trouble)); ++k) {
    if (k == longest_chain) trouble = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    const fs::path next = trouble ? fs::path() : fs::read_symlink(out, trouble);
    if (trouble) return path;
    out = next.is_absolute() ? next : out.parent_path() / next;
  }
  trouble.clear();  // that there is no such file is no trouble
  return out.string();
}

}  // namespace

int enter_unfinished(const std::string& name) {
  if (name.size() >= sizeof Unfinished::name) return -1;
  for (std::size_t k = 0; k < unfinished.size(); ++k) {
    int expected = Unfinished::empty;
    if (!unfinished[k].state.compare_exchange_strong(expected, Unfinished::filling)) continue;
    name.copy(unfinished[k].name, name.size());
    unfinished[k].name[name.size()] = '\0';
    unfinished[k].state = Unfinished::full;
    return static_cast<int>(k);
  }
  return -1;
}

void leave_unfinished(int& slot) {
  if (slot >= 0) unfinished[static_cast<std::size_t>(slot)].state = Unfinished::empty;
  slot = -1;
}

AtomicFile::AtomicFile(const std::string& path, std::string attempt)
    : path_(path), target_(path), attempt_(std::move(attempt)) {
  std::error_code trouble;
  const fs::file_status found = fs::status(path, trouble);
  if (fs::is_directory(found)) throw InputError(path, 0, attempt_ + ": it is a folder");
  ordinary_ = !fs::exists(found) || fs::is_regular_file(found);
  // The links of /proc lead to places that have no name: /dev/stdout may be a file that was deleted.
  if (ordinary_) {
    target_ = end_of_links(path, trouble);
    if (trouble) refuse(trouble.value());
    if (fs::exists(found) && !fs::exists(target_, trouble)) ordinary_ = false;
  }
  if (ordinary_)
    open_beside();
  else
    open_directly();
}

AtomicFile::~AtomicFile() {
  try {
    if (in_place_) flush();
  } catch (const InputError&) {  // whoever must know has called flush
  }
  if (file_ >= 0) ::close(file_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
  leave_unfinished(slot_);
}

void remove_unfinished_files() noexcept {
  for (const Unfinished& file : unfinished)
    if (file.state == Unfinished::full) ::unlink(file.name);
}

// O_EXCL: neither another writer's file nor a link that somebody has laid in wait is written to.
void AtomicFile::open_beside() {
  static std::atomic<unsigned> names_taken{0};
  const fs::path place(target_);
  const std::string start = place.filename().string().substr(0, longest_name);
  do {
    const unsigned number = names_taken++;
    const std::string own = "." + std::to_string(::getpid()) + "-" + std::to_string(number) + ".new";
    beside_ = (place.parent_path() / (start + own)).string();
    leave_unfinished(slot_);
    slot_ = enter_unfinished(beside_);
    file_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ >= 0) return;
  const int reason = errno;
  leave_unfinished(slot_);
  beside_.clear();
  refuse(reason);
}

void AtomicFile::open_directly() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
  if (file_ < 0) refuse(errno);
}

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() > buffer_size)
    write_out(bytes);
  else
    buffer_ += bytes;
}

void AtomicFile::flush() {
  const std::string bytes = std::exchange(buffer_, {});
  write_out(bytes);
}

// After a failure the file has a gap, and stays refused.
void AtomicFile::write_out(std::string_view bytes) {
  while (failure_ == 0 && !bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      failure_ = errno;
  }
  if (failure_ != 0) refuse(failure_);
}

void AtomicFile::put_in_place() {
  flush();
  in_place_ = true;
  if (!ordinary_) return;
  if (::fsync(file_) != 0) refuse(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) refuse(errno);
  beside_.clear();
  leave_unfinished(slot_);
  sync_folder();
}

// So that the new name outlives a power cut. Not every folder can be read, and not every file system can do
// this; the file is in place all the same.
void AtomicFile::sync_folder() const {
  const fs::path parent = fs::path(target_).parent_path();
  const int folder = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const int reason = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  if (reason == EIO || reason == ENOSPC || reason == EDQUOT) refuse(reason);
}

void AtomicFile::refuse(int reason) const {
  throw InputError(path_, 0, attempt_ + ": " + std::generic_category().message(reason));
}

}  // namespace bridle
