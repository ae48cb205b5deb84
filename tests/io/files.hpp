// Temporary files and error messages for the tests of the readers.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "bridle/core/error.hpp"

namespace bridle::testing {

// A folder of this process, removed at the end.
class TempFolder {
 public:
  TempFolder() : path_(::testing::TempDir() + "bridle_io_" + std::to_string(getpid()) + "/") {
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string write_file(const std::string& name, std::string_view content) {
  static const TempFolder folder;
  const std::string path = folder.path() + name;
  // A new file, since writing over an old one waits for the disk on some file systems.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path;
}

inline std::string gzip(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()) + 64, '\0');
  std::string input(content);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// The message of the InputError that the call throws; empty if it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline std::string shared(const std::string& name) { return std::string(BRIDLE_SHARED_DATA) + "/" + name; }

// One line of a table of errors: what a file holds, and what the message must say.
struct ErrorCase {
  std::string content;
  std::string message;
};

}  // namespace bridle::testing

#define SKIP_WITHOUT_SHARED_DATA() \
  if (!std::filesystem::exists(BRIDLE_SHARED_DATA)) GTEST_SKIP() << "shared data not found"
