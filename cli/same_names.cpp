#include "same_names.hpp"

#include <array>
#include <filesystem>

#include "bridle/core/error.hpp"

namespace bridle::cli {
namespace {

namespace fs = std::filesystem;

// Options whose file is written; all others with a file read it.
constexpr std::array outputs = {"--json", "--log",    "--write-params", "--checkpoint",     "--model",
                                "--csv",  "--report", "--output",       "--write-instance", "--write-lp"};

struct Named {
  std::string option, path;
  bool written;
};

bool is_written(const CLI::Option& option) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const char* name) { return option.check_name(name); });
}

std::vector<Named> files_of(const CLI::App& command) {
  std::vector<Named> out;
  for (const auto* option : command.get_options()) {
    if (option->get_type_name().find("FILE") == std::string::npos) continue;
    for (const auto& path : option->results())
      if (!path.empty() && path != "-") out.push_back({option->get_name(), path, is_written(*option)});
  }
  return out;
}

// Two names of one file, or of one that is to be. Devices and pipes may be written to twice.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code trouble;
  if (fs::exists(a, trouble) && !fs::is_regular_file(a, trouble)) return false;
  if (fs::equivalent(a, b, trouble)) return true;
  return fs::weakly_canonical(fs::absolute(a), trouble) == fs::weakly_canonical(fs::absolute(b), trouble);
}

}  // namespace

void refuse_same_names(const CLI::App& command) {
  const auto files = files_of(command);
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((files[i].written || files[j].written) && same_file(files[i].path, files[j].path))
        throw InputError(
            files[j].option + " and " + files[i].option + " name the same file '" + files[i].path +
            "', which " +
            (files[i].written && files[j].written ? "can hold one of them only" : "would be lost"));
}

}  // namespace bridle::cli
