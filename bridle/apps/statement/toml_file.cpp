#include "bridle/apps/statement/toml_file.hpp"

#include "bridle/core/error.hpp"
#include "bridle/io/line_reader.hpp"

namespace bridle {

toml::table parse_toml(const std::string& path) {
  std::string text;
  io::LineReader reader(path);
  std::string_view line;
  while (reader.next(line)) text.append(line).push_back('\n');
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw InputError(path, static_cast<long>(error.source().begin.line), std::string(error.description()));
  }
}

}  // namespace bridle
