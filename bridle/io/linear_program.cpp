#include "bridle/io/linear_program.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "bridle/core/error.hpp"
#include "bridle/io/line_reader.hpp"
#include "bridle/io/mps.hpp"

namespace bridle::io {

LinearProgram read_linear_program(const std::string& path, DefaultBounds defaults) {
  std::filesystem::path name(path);
  if (name.extension() == ".gz") name = name.stem();
  std::string kind = name.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (kind == ".lp") return parse_lp(read_text(path), path, defaults);
  if (kind == ".mps" || kind == ".qps") return read_mps(path, defaults);
  throw InputError(path, 0, "the name must end with .lp, .mps or .qps (or one of these and .gz)");
}

}  // namespace bridle::io
