// Keeps two runs from working on one file. The lock is another file beside it; it ends with the process,
// however that ends.
#pragma once

#include <string>

namespace bridle {

class FileLock {
 public:
  // Throws InputError where another process holds the lock of this path. Where the folder can hold no lock
  // there is none, and nothing is said: whoever writes the file tells.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string lock_path_;
  int file_ = -1;
  int slot_ = -1;  // in the list of unfinished files: whatever ends the process removes the lock
};

}  // namespace bridle
