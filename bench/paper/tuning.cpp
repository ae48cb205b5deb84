#include <map>

#include "bench/paper/rivals.hpp"

namespace bridle::paper {
namespace {

constexpr std::uint64_t tuning_seed = 1000;  // so that no tuning problem is a reported one

// What a setting is worth for a target: the median evaluations over the tuning problems, and where that is
// infinite the median error at the end.
struct Worth {
  double evaluations = infinity, error = infinity;
  bool better_than(const Worth& other) const {
    if (evaluations < infinity || other.evaluations < infinity) return evaluations < other.evaluations;
    return error < 0.95 * other.error;
  }
};

class Walk {
 public:
  Walk(Cell& cell, std::size_t target, const Setting& start) : cell_(cell), target_(target), here_(start) {
    best_ = worth(here_);
  }
  // Moves each constant as far as it helps, until none does.
  Setting descend() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const Knob knob : knobs_of(*cell_.method))
        for (const int direction : {-1, 1})
          while (step(knob, direction)) moved = true;
      for (const int direction : {-1, 1})
        while (step(Knob::tau, -direction, Knob::rho, direction)) moved = true;
    }
    return here_;
  }
  bool reached() const { return best_.evaluations < infinity; }
  const Worth& best() const { return best_; }

 private:
  bool step(Knob knob, int direction, Knob other = Knob::tau, int with = 0) {
    Setting next = here_;
    next[static_cast<std::size_t>(knob)] += direction;
    next[static_cast<std::size_t>(other)] += with;
    for (const int place : next)
      if (std::abs(place) > farthest_setting) return false;
    const Worth found = worth(next);
    if (!found.better_than(best_)) return false;
    here_ = next;
    best_ = found;
    return true;
  }

  // A run that needs more than twice the best median so far cannot lower the median any more. Errors at the
  // end are compared on the first three problems, to save time.
  const Worth& worth(const Setting& setting) {
    const auto [place, fresh] = seen_.try_emplace(setting);
    if (!fresh) return place->second;
    ++cell_.tried;
    const Contest& contest = *cell_.contest;
    const double limit = std::min(contest.budget, 2 * best_.evaluations);
    Numbers evaluations, error;
    std::size_t failures = 0;
    for (std::size_t s = 0; s < contest.tuning_problems && 2 * failures <= contest.tuning_problems; ++s) {
      const Reached run = run_rival(*cell_.method, contest, setting, limit, tuning_seed + s, target_ + 1);
      evaluations.push_back(run.evaluations[target_]);
      error.push_back(run.last_error);
      failures += !(run.evaluations[target_] < infinity);
      if (failures == 3 && s == 2 && !reached()) break;  // hopeless so far: the error will do
    }
    evaluations.resize(contest.tuning_problems, infinity);
    error.resize(std::min<std::size_t>(error.size(), 3));
    place->second = {median(evaluations), median(error)};
    return place->second;
  }

  Cell& cell_;
  std::size_t target_;
  Setting here_;
  Worth best_;
  std::map<Setting, Worth> seen_;
};

}  // namespace

void tune(Cell& cell) {
  Setting start{}, stiff{};
  stiff[static_cast<std::size_t>(Knob::rho)] = 3;  // rho = 63: where methods without multipliers may begin
  if (knobs_of(*cell.method).empty()) {
    cell.tried = 1;  // as it is
    return;
  }
  bool hopeless = false;
  for (std::size_t k = 0; k < target_count; ++k) {
    cell.chosen[k] = start;
    if (hopeless) continue;  // what no setting reaches it does not reach at a smaller eps
    Walk walk(cell, k, start);
    cell.chosen[k] = walk.descend();
    hopeless = !walk.reached();
    Setting second = k == 0 ? stiff : start;
    int& alpha = second[static_cast<std::size_t>(Knob::alpha)];
    const bool above = parameters_of(*cell.method, start).alpha > 1;
    if (k > 0 && above) alpha = 0;  // where alpha_t began below 1, another valley
    if (k == 0 || above) {
      Walk other(cell, k, second);
      const Setting found = other.descend();
      if (other.best().better_than(walk.best())) cell.chosen[k] = found;
      hopeless = hopeless && !other.reached();
    }
    start = cell.chosen[k];
  }
}

void measure(Cell& cell) {
  for (std::size_t k = 0; k < target_count; ++k) {
    const auto same = std::find(cell.chosen, cell.chosen + k, cell.chosen[k]) - cell.chosen;
    if (same < static_cast<std::ptrdiff_t>(k)) {
      cell.measured[k] = cell.measured[same];
      continue;
    }
    for (std::uint64_t s = 0; s < cell.contest->problems; ++s)
      cell.measured[k].push_back(
          run_rival(*cell.method, *cell.contest, cell.chosen[k], cell.contest->budget, s));
  }
}

std::size_t Cell::setting_at(std::size_t target) const {
  std::size_t best = target;
  double least = infinity;
  for (std::size_t k = target; k < target_count; ++k) {
    Numbers evaluations;
    for (const Reached& run : measured[k]) evaluations.push_back(run.evaluations[target]);
    if (median(evaluations) < least) {
      least = median(evaluations);
      best = k;
    }
  }
  return best;
}

Numbers Cell::at(std::size_t target) const {
  Numbers out;
  for (const Reached& run : measured[setting_at(target)]) out.push_back(run.evaluations[target]);
  return out;
}

std::vector<Cell> make_cells(const std::vector<Contest>& contests,
                             const std::vector<std::string_view>& methods) {
  std::vector<Cell> cells;
  for (const Contest& contest : contests)
    for (const AlgorithmDescription& method : all_algorithms()) {
      if (!methods.empty() && std::find(methods.begin(), methods.end(), method.name) == methods.end())
        continue;
      Cell cell{&method, &contest, does_not_apply(method, contest.family), {}, 0, {}};
      cells.push_back(std::move(cell));
    }
  in_parallel(cells.size(), [&](std::size_t c) {
    if (!cells[c].reason.empty()) return;
    tune(cells[c]);
    measure(cells[c]);
  });
  return cells;
}

std::string cell_text(const Numbers& evaluations, double budget) {
  const double middle = median(evaluations);
  const auto reached =
      std::count_if(evaluations.begin(), evaluations.end(), [](double e) { return e < infinity; });
  if (!(middle < infinity)) return fmt::format("> {:.0e} ({} of {})", budget, reached, evaluations.size());
  const double upper = quantile(evaluations, 0.75);
  return fmt::format("{:.2g} ({:.2g}, {})", middle, quantile(evaluations, 0.25),
                     upper < infinity ? fmt::format("{:.2g}", upper) : std::string("-"));
}

}  // namespace bridle::paper
