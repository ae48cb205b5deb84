#include "bridle/report/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bridle/core/error.hpp"

namespace bridle {

OutputFile::OutputFile(std::string path) : path_(std::move(path)), beside_(path_ + ".new") {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored))
    throw InputError(path_, 0, "cannot write: it is a folder");
  if (!std::ofstream(beside_))
    throw InputError(path_, 0, std::string("cannot write: ") + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (!committed_) std::remove(beside_.c_str());
}

void OutputFile::commit(const std::string& content) {
  std::ofstream out(beside_, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  if (!out || std::rename(beside_.c_str(), path_.c_str()) != 0)
    throw InputError(path_, 0, std::string("cannot write: ") + std::strerror(errno));
  committed_ = true;
}

}  // namespace bridle
