// Whether files are read in the time that there is for it, from looks at how much has been read.
#pragma once

#include <vector>

namespace bridle {

class ReadingPace {
 public:
  explicit ReadingPace(double allowed) : allowed_(allowed) {}

  // `read` of `total` bytes, `seconds` after the beginning.
  void look(double seconds, double read, double total);
  // Since the last look: the time is over, or half of it is and the rest does not fit in even at the best
  // speed that was seen. Readers that stood still for a while, as on a busy machine, are not given up.
  bool hopeless() const;
  // That reading takes from beginning to end if it goes on as it did lately, or on the whole if it stood
  // still. Something must have been read.
  double expected_seconds() const;

 private:
  struct Look {
    double seconds = 0, read = 0;
  };

  double allowed_, total_ = 0;
  Look last_;
  std::vector<Look> looks_{{}};  // so far apart that speeds between them say something
  double best_speed_ = 0;        // between two of them
};

}  // namespace bridle
