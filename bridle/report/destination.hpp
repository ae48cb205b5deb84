// Where a command writes one result: a file that appears whole, standard output for "-", nowhere for "".
#pragma once

#include <optional>
#include <string>

#include "bridle/core/atomic_file.hpp"

namespace bridle {

class Destination {
 public:
  // A file is opened at once, so that a run is not lost to a mistyped folder. Throws InputError, as write
  // does.
  explicit Destination(const std::string& path);

  bool wanted() const { return file_ || standard_output_; }
  void write(const std::string& text);  // the whole result; nothing where none is wanted

 private:
  std::optional<AtomicFile> file_;
  bool standard_output_;
};

// Throws InputError where the file of this name was read in this run.
void refuse_to_replace_input(const std::string& path);

}  // namespace bridle
