// Output files appear whole or not at all: written beside their place and moved there when told.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace bridle {

class OutputFile {
 public:
  // Opens the file beside its place at once, so that a run is not lost to a mistyped folder. Throws
  // InputError. What is no ordinary file (a pipe, /dev/stdout) is written to directly.
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // removes what was not put in place
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const std::string& text);
  void flush() { std::fflush(file_.get()); }
  // Replaces the file of that name; later writes go on at its end. Throws InputError when the disk is full.
  void put_in_place();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path_, beside_;  // beside_ is path_ for what is no ordinary file
  std::unique_ptr<std::FILE, Close> file_;
  bool in_place_ = false;
};

}  // namespace bridle
