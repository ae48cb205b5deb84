// A log of a run, as --log writes it, read back: columns by name.
#pragma once

#include <string>
#include <vector>

namespace bridle {

struct RunLog {
  std::string title;                // the file's name without folder and suffix
  std::vector<std::string> phases;  // of every row; empty where the log has none
  std::vector<double> samples, seconds, objective, objective_error, feasibility, stationarity, error;

  std::size_t rows() const { return samples.size(); }
};

// Throws InputError with file and line: a column that is needed is missing, a field is no number, no row.
RunLog read_run_log(const std::string& path);

}  // namespace bridle
