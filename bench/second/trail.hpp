// The iterates of a method with the processor seconds at which it had them, to be judged afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle::bench {

double processor_seconds();

struct TrailPoint {
  double seconds;
  Vector x;
};

// A clock that stands still while an iterate is put down.
class Trail {
 public:
  Trail() : start_(processor_seconds()) {}

  // Iterates less than a fiftieth later than the last one are left out, unless they are the end.
  void add(const double* x, Index size, bool end = false);
  double seconds() const { return processor_seconds() - start_ - looking_; }
  const std::vector<TrailPoint>& points() const { return points_; }

  // Points for another program, and from one: the seconds, then x, one after the other as doubles. A point
  // that was broken off is left out.
  void write(const std::string& path) const;
  static Trail read(const std::string& path, Index dimension);

 private:
  double start_, looking_ = 0;
  std::vector<TrailPoint> points_;
};

}  // namespace bridle::bench
