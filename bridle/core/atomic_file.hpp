// The one way this project writes files. A file appears whole or not at all: it is written beside its place
// under a name of its own and moved there when it is complete.
#pragma once

#include <string>
#include <string_view>

namespace bridle {

class AtomicFile {
 public:
  // Opens the file beside its place at once, so that a run is not lost to a mistyped folder. Of a symbolic
  // link the file it leads to is replaced, not the link; what is no ordinary file (a pipe, /dev/stdout) is
  // written to directly. `attempt` begins every message, which ends with the system's own reason. Throws
  // InputError, as all members do.
  explicit AtomicFile(const std::string& path, std::string attempt = "cannot write");
  ~AtomicFile();  // removes what was not put in place
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  // through a buffer
  void flush();                        // empties the buffer
  // Replaces the file of that name, which is on the disk when this returns; later writes go on at its end.
  void put_in_place();

 private:
  void open_beside();
  void open_directly();
  void write_out(std::string_view bytes);
  void sync_folder() const;
  [[noreturn]] void refuse(int reason) const;

  std::string path_;    // as the user wrote it, for messages
  std::string target_;  // where links lead
  std::string beside_;  // empty once it is in place, and for what is no ordinary file
  std::string attempt_, buffer_;
  int slot_ = -1;  // in the list of unfinished files
  int file_ = -1, failure_ = 0;
  bool in_place_ = false, ordinary_ = true;
};

// Removes what is not in place yet, for a handler of signals that ends the process: it calls nothing that a
// handler may not. Files beyond the first few that are open at a time are not covered.
void remove_unfinished_files() noexcept;

}  // namespace bridle
