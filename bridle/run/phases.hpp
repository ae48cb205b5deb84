// The phases of a run: which of them found a point, and what each of them has spent.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace bridle {

enum class Phase { start, loop, second_order, polish, judge };
inline constexpr std::array all_phases = {Phase::start, Phase::loop, Phase::second_order, Phase::polish,
                                          Phase::judge};
constexpr std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, all_phases.size()> names = {"start", "loop", "second order",
                                                                     "polish", "judge"};
  return names[static_cast<std::size_t>(phase)];
}

// What found a point.
enum class FoundBy {
  start,            // the user, or a simpler model in his place
  loop_x,           // the method's x
  loop_z,           // and its z
  smoothed_output,  // the theory's: z at the random time t*
  post_processing,  // the paper's step with a batch, from there
  polish,
  second_order
};
constexpr FoundBy last_value(FoundBy) { return FoundBy::second_order; }
constexpr std::string_view to_string(FoundBy found_by) {
  constexpr std::array<std::string_view, 7> names = {
      "start", "loop x", "loop z", "smoothed output", "post-processing", "polish", "second order"};
  return names[static_cast<std::size_t>(found_by)];
}
constexpr Phase phase_of(FoundBy found_by) {
  switch (found_by) {
    case FoundBy::start:
      return Phase::start;
    case FoundBy::polish:
      return Phase::polish;
    case FoundBy::second_order:
      return Phase::second_order;
    default:
      return Phase::loop;
  }
}

struct PhaseSpending {
  double sample_gradients = 0;  // and those of batches that stand for a full one
  double full_gradients = 0;    // over all samples, or of a mean that is known
  double hessians = 0, hessian_products = 0;
  double projections =
      0;  // the loop's: onto X and the slacks' bounds; later ones onto X and the rows at once
  double seconds = 0;

  PhaseSpending& operator+=(const PhaseSpending& other);
  template <class Archive>
  void transfer(Archive& archive) {
    archive(sample_gradients, full_gradients, hessians, hessian_products, projections, seconds);
  }
};

class PhaseTable {
 public:
  PhaseSpending& operator[](Phase phase) { return rows_[static_cast<std::size_t>(phase)]; }
  const PhaseSpending& operator[](Phase phase) const { return rows_[static_cast<std::size_t>(phase)]; }
  PhaseTable& operator+=(const PhaseTable& other);
  // Seconds of all phases but the judge.
  double working_seconds() const;
  // This run was the start of another: all its work but the judge's.
  PhaseTable as_a_start() const;
  // A line for each phase.
  std::string text() const;

  template <class Archive>
  void transfer(Archive& archive) {
    for (PhaseSpending& row : rows_) archive(row);
  }

 private:
  std::array<PhaseSpending, all_phases.size()> rows_;
};

// "found by ...", in words.
std::string found_by_text(FoundBy found_by);

}  // namespace bridle
