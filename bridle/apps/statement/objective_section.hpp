// The [objective] section: data and a loss, or the objective of an .lp/.mps/.qps file.
#pragma once

#include <optional>
#include <vector>

#include "bridle/apps/data/encoding.hpp"
#include "bridle/apps/data/file_share.hpp"
#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/io/linear_program.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

struct StatedObjective {
  AnyObjective objective;
  std::string description;
  std::vector<std::string> notes;
  std::optional<io::Table> table;            // the data as read, for constraints built from it
  std::optional<io::LinearProgram> program;  // the file the objective came from
  std::vector<Index> file_rows = {};         // samples that came from each data file read here
  Index samples = 0;                         // of all data files, wherever they are read
};

// `folder` is what relative file names start from; `sensitive` are columns of the data that are no features.
// With a share the data is that of this process's files.
StatedObjective read_objective(TomlSection& section, const std::string& folder, const Names& sensitive,
                               const FileShare* share = nullptr);

// The objective of a file alone.
StatedObjective objective_of(io::LinearProgram program, const std::string& file, double noise);

// The file a key names, relative to the problem file's folder unless absolute.
std::string resolve(const std::string& folder, const std::string& file);

}  // namespace bridle
