// The share of a run that is done, as it is shown: it never goes back, however the time left is corrected.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace bridle {

class DoneShare {
 public:
  // After so many seconds, with so many left as far as is known now; nothing where nobody knows. What was
  // still to be shown is spread over the time that is left: with estimates that hold this is the part of the
  // time that is over.
  std::optional<double> at(double seconds, double seconds_left) {
    const double whole = seconds + seconds_left;
    if (!std::isfinite(whole) || !(whole > 0)) return {};
    const double passed = std::max(0.0, seconds - then_), ahead = passed + seconds_left;
    if (ahead > 0) share_ += (1 - share_) * passed / ahead;
    share_ = std::max(share_, seconds / whole);
    then_ = seconds;
    return share_;
  }
  // Another round: what it has to do was not known before.
  void begin_again() { share_ = 0; }

 private:
  double share_ = 0, then_ = 0;
};

}  // namespace bridle
