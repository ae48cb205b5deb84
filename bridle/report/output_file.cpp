#include "bridle/report/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(path, 0, std::string("cannot write: ") + std::strerror(errno));
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path_, ignored)) throw InputError(path_, 0, "cannot write: it is a folder");
  // Of a symbolic link the file it leads to is replaced, not the link.
  if (fs::is_symlink(path_, ignored))
    if (const auto target = fs::weakly_canonical(path_, ignored); !ignored) path_ = target.string();
  const bool ordinary = !fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored);
  in_place_ = !ordinary;
  beside_ = ordinary ? path_ + ".new" : path_;
  errno = 0;
  file_.reset(std::fopen(beside_.c_str(), "wb"));
  if (!file_) refuse(path);
}

OutputFile::~OutputFile() {
  if (!in_place_) std::remove(beside_.c_str());
}

void OutputFile::write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), file_.get()); }

void OutputFile::put_in_place() {
  errno = 0;
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0) refuse(path_);
  if (!in_place_ && std::rename(beside_.c_str(), path_.c_str()) != 0) refuse(path_);
  in_place_ = true;
}

}  // namespace bridle
