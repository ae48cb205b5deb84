#include "bridle/core/file_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridle/core/error.hpp"
#include "bridle/core/unfinished_files.hpp"

namespace bridle {
namespace {

// Whoever held the lock before may have removed its file between our opening and our locking it.
bool still_there(int file, const std::string& path) {
  struct stat ours {
  }, named{};
  return ::fstat(file, &ours) == 0 && ::lstat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::string& path) : lock_path_(path + ".lock") {
  for (;;) {
    file_ = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) return;
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
      if (still_there(file_, lock_path_)) {
        slot_ = enter_unfinished(lock_path_);
        return;
      }
      ::close(file_);
      continue;
    }
    const bool taken = errno == EWOULDBLOCK;
    ::close(file_);
    file_ = -1;
    if (taken)
      throw InputError(path, 0, "another run is using this checkpoint; give this one a name of its own");
    return;
  }
}

FileLock::~FileLock() {
  if (file_ < 0) return;
  ::unlink(lock_path_.c_str());  // while it is held: nobody else's can be meant
  leave_unfinished(slot_);
  ::close(file_);
}

}  // namespace bridle
