#include "bridle/report/destination.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bridle/core/error.hpp"

namespace bridle {

Destination::Destination(const std::string& path) : standard_output_(path == "-") {
  if (!path.empty() && !standard_output_) file_.emplace(path);
}

void Destination::write(const std::string& text) {
  if (file_) {
    file_->write(text);
    file_->put_in_place();
  }
  if (!standard_output_) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw InputError("standard output", 0, std::string("cannot write: ") + std::strerror(errno));
}

}  // namespace bridle
