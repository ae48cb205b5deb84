#include "bridle/report/plot/run_log.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "bridle/core/error.hpp"
#include "bridle/core/input_file.hpp"

namespace bridle {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line)
    if (c == ',')
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  return out;
}

double number_in(const std::string& text, const std::string& path, std::size_t line,
                 const std::string& column) {
  if (text.empty()) return std::nan("");
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') throw InputError(path, line, "'" + text + "' in column " + column + " is no number");
  return value;
}

}  // namespace

RunLog read_run_log(const std::string& path) {
  std::istringstream file(read_input(path));
  RunLog log;
  log.title = std::filesystem::path(path).stem().string();
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = fields_of(line);
  const std::map<std::string, std::vector<double>*> wanted = {{"samples", &log.samples},
                                                              {"seconds", &log.seconds},
                                                              {"objective", &log.objective},
                                                              {"objective_error", &log.objective_error},
                                                              {"feasibility", &log.feasibility},
                                                              {"stationarity", &log.stationarity},
                                                              {"error", &log.error}};
  for (const char* needed : {"samples", "seconds", "objective"})
    if (std::find(header.begin(), header.end(), needed) == header.end())
      throw InputError(
          path, 1, std::string("there is no column '") + needed + "': bridle solve --log writes such files");
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != header.size())
      throw InputError(
          path, number,
          std::to_string(fields.size()) + " fields, but the header has " + std::to_string(header.size()));
    for (std::size_t k = 0; k < header.size(); ++k) {
      if (header[k] == "phase") log.phases.push_back(fields[k]);
      if (const auto column = wanted.find(header[k]); column != wanted.end())
        column->second->push_back(number_in(fields[k], path, number, header[k]));
    }
  }
  if (log.rows() == 0) throw InputError(path, 0, "the log has no rows");
  for (const auto& [name, column] : wanted) column->resize(log.rows(), std::nan(""));
  return log;
}

}  // namespace bridle
