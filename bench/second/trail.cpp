#include "bench/second/trail.hpp"

#include <fstream>

#include <time.h>

namespace bridle::bench {

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Trail::add(const double* x, Index size, bool end) {
  constexpr double least_ratio = 1.02;
  const double now = seconds(), before = processor_seconds();
  if (end || points_.empty() || now > least_ratio * points_.back().seconds)
    points_.push_back({now, Eigen::Map<const Vector>(x, size)});
  looking_ += processor_seconds() - before;
}

void Trail::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](const double* numbers, Index count) {
    file.write(reinterpret_cast<const char*>(numbers),
               static_cast<std::streamsize>(sizeof(double)) * static_cast<std::streamsize>(count));
  };
  for (const TrailPoint& point : points_) {
    put(&point.seconds, 1);
    put(point.x.data(), point.x.size());
  }
}

Trail Trail::read(const std::string& path, Index dimension) {
  Trail out;
  std::ifstream file(path, std::ios::binary);
  Vector numbers(dimension + 1);
  const auto bytes = static_cast<std::streamsize>(sizeof(double)) * numbers.size();
  while (file.read(reinterpret_cast<char*>(numbers.data()), bytes))
    out.points_.push_back({numbers[0], numbers.tail(dimension)});
  return out;
}

}  // namespace bridle::bench
