#include "bridle/core/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double kilobyte = 1024;

// The number behind `key` in a file of lines "key: number"; -1 where there is none.
double figure_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    double value = 0;
    if (word == key) return file >> value ? value : -1;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return -1;
}

// The first number of a file; -1 where there is none ("max").
double number_in(const char* path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : -1;
}

double free_on_the_machine() {
  const double kilobytes = figure_of("/proc/meminfo", "MemAvailable:");
  return kilobytes >= 0 ? kilobyte * kilobytes : unlimited;
}

// The second version of control groups, as seen from inside a container; the first had other names.
double free_in_the_group() {
  const struct {
    const char *limit, *used;
  } places[] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
  for (const auto& place : places)
    if (const double limit = number_in(place.limit), used = number_in(place.used); limit >= 0 && used >= 0)
      return std::max(0.0, limit - used);
  return unlimited;
}

double free_of_addresses() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const double pages = number_in("/proc/self/statm");
  if (pages < 0) return unlimited;
  return std::max(0.0,
                  static_cast<double>(limit.rlim_cur) - pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

double free_memory() { return std::min({free_on_the_machine(), free_in_the_group(), free_of_addresses()}); }

std::string bytes_in_words(double bytes) {
  const char* const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", unit == 0 || bytes >= 100 ? 0 : 1, bytes, units[unit]);
  return text;
}

void require_memory(double bytes, const std::string& file, const std::string& what) {
  constexpr double always_there = 1e6;  // too little to ask the system for
  if (bytes <= always_there) return;
  const double free = free_memory();
  if (bytes <= free) return;
  const std::string message = what + " needs about " + bytes_in_words(bytes) + " of memory, and " +
                              bytes_in_words(free) + " are free";
  throw file.empty() ? InputError(message) : InputError(file, 0, message);
}

}  // namespace bridle
