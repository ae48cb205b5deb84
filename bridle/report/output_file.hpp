// Output files appear whole or not at all: written beside their place and renamed when complete.
#pragma once

#include <string>

namespace bridle {

class OutputFile {
 public:
  // Checks at once that the place can be written, so that a run is not lost to a mistyped folder. Throws
  // InputError.
  explicit OutputFile(std::string path);
  ~OutputFile();  // removes what was not committed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void commit(const std::string& content);

 private:
  std::string path_, beside_;
  bool committed_ = false;
};

}  // namespace bridle
