#include "bridle/report/destination.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bridle/core/error.hpp"
#include "bridle/core/input_file.hpp"

namespace bridle {

Destination::Destination(const std::string& path) : standard_output_(path == "-") {
  if (path.empty() || standard_output_) return;
  refuse_to_replace_input(path);
  file_.emplace(path);
}

void refuse_to_replace_input(const std::string& path) {
  if (was_read(path)) throw InputError(path, 0, "cannot write: the file is also read, and would be lost");
}

void Destination::write(const std::string& text) {
  if (file_) {
    file_->write(text);
    file_->put_in_place();
  }
  if (!standard_output_) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw InputError("standard output", 0,
                     std::string("cannot write: ") + std::strerror(errno != 0 ? errno : EIO));
}

}  // namespace bridle
