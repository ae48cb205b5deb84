// What the comparisons share: one run of a method, and how each is tuned.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"

namespace bridle::paper {

inline constexpr double targets[] = {1e-1, 3e-2, 1e-2, 3e-3};
inline constexpr std::size_t target_count = std::size(targets);

// How the judge's figures are read: each against its own scale, as in all of Bridle, or in the problem's own
// units, as the paper defines an eps-stationary point.
enum class Measure { relative, absolute };

struct Contest {
  Family family;
  Measure measure = Measure::relative;
  double budget = 1e5;              // sample gradients
  std::size_t tuning_problems = 9;  // seeds 1000, 1001, ...
  std::size_t problems = 9;         // seeds 0, 1, ...
};

// Why the method's setting does not cover the family; empty when it does.
std::string does_not_apply(const AlgorithmDescription& method, const Family& family);

// The constants that a method is tuned in, as steps of half a decade from the first guess.
enum class Knob { tau, rho, eta, beta, alpha };
inline constexpr std::size_t knob_count = 5;
inline constexpr int farthest_setting = 9;  // half decades from the first guess, to either side
using Setting = std::array<int, knob_count>;
std::vector<Knob> knobs_of(const AlgorithmDescription& method);
Parameters parameters_of(const AlgorithmDescription& method, const Setting& setting);
// tau, eta, beta, mu, rho, alpha for a CSV file, empty where the method has no such constant.
std::string constants_text(const AlgorithmDescription& method, const Parameters& p);

struct Reached {
  double evaluations[target_count];  // infinity: not within the budget
  double last_error = infinity;
};

// Sample gradients until the judge's error is at most eps at two visits in a row (ten visits a decade,
// multipliers improved by the judge for all methods alike), looking at the first `needed` targets and no
// further than `limit`. Methods that carry z are judged at the better of x and z. The rounds of stoc-ialm are
// parts of a horizon fixed beforehand: it is run with horizons a factor sqrt(10) apart and each target takes
// the best of them.
Reached run_rival(const AlgorithmDescription& method, const Contest& contest, const Setting& setting,
                  double limit, std::uint64_t seed, std::size_t needed = target_count);

// A method in a contest: tuned for each target on problems of their own, then measured.
struct Cell {
  const AlgorithmDescription* method;
  const Contest* contest;
  std::string reason;                           // why it does not apply
  Setting chosen[target_count];                 // tuned for each target
  std::size_t tried = 0;                        // settings looked at
  std::vector<Reached> measured[target_count];  // by target and problem, with the setting tuned for it

  // The evaluations of the reported problems: with the setting tuned for this target or for a smaller one,
  // whichever has the least median on them: a choice among at most four. So that no row asks for more at a
  // larger eps.
  Numbers at(std::size_t target) const;
  std::size_t setting_at(std::size_t target) const;
};

// Descent on the lattice of settings, target by target, each from the one before (the first from rho = 2 and
// from rho = 63; the later ones also with the constant of alpha_t back at 1 where it is above): a constant,
// or tau against rho, is moved by half a decade as long as the median over the tuning problems falls, until
// no such move helps. Where nothing reaches the target the median error at the end is lowered instead.
void tune(Cell& cell);
void measure(Cell& cell);

std::vector<Cell> make_cells(const std::vector<Contest>& contests,
                             const std::vector<std::string_view>& methods = {});
// How many of the settings that won lie at a bound of a constant, or at the edge of what is tried.
std::string bounds_text(const std::vector<Cell>& cells);
std::string cell_text(const Numbers& evaluations, double budget);

}  // namespace bridle::paper
