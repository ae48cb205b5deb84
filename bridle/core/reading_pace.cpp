#include "bridle/core/reading_pace.hpp"

#include <algorithm>
#include <iterator>

namespace bridle {
namespace {

constexpr double stretch = 0.02, early = 0.5, lately = 0.25;  // of the time
constexpr std::size_t enough_stretches = 4;

}  // namespace

void ReadingPace::look(double seconds, double read, double total) {
  total_ = total;
  last_ = {seconds, read};
  const Look& before = looks_.back();
  if (seconds - before.seconds < stretch * allowed_) return;
  best_speed_ = std::max(best_speed_, (read - before.read) / (seconds - before.seconds));
  looks_.push_back(last_);
}

bool ReadingPace::hopeless() const {
  if (last_.read >= total_) return false;
  if (last_.seconds >= allowed_) return true;
  return last_.seconds > early * allowed_ && looks_.size() > enough_stretches &&
         last_.read + best_speed_ * (allowed_ - last_.seconds) < total_;
}

double ReadingPace::expected_seconds() const {
  const double since = (1 - lately) * last_.seconds;
  const auto after =
      std::upper_bound(looks_.begin(), looks_.end(), since,
                       [](double seconds, const Look& look) { return seconds < look.seconds; });
  const Look& from = *std::prev(after);  // the first look was at 0
  const Look& begin = from.read < last_.read ? from : looks_.front();
  return last_.seconds + (total_ - last_.read) * (last_.seconds - begin.seconds) / (last_.read - begin.read);
}

}  // namespace bridle
