#include "bridle/second/parts.hpp"

#include <algorithm>

#include "bridle/second/phase.hpp"

namespace bridle::second {
namespace {

// A part that is not the last need not be finished: the slope of a few steps tells where to go on.
constexpr int iterations_in_a_part = 10, most_parts = 100;

bool same(const LinearDescription& a, const LinearDescription& b) {
  return a.bounds.lower == b.bounds.lower && a.bounds.upper == b.bounds.upper;
}

bool failed(End end) {
  return end == End::stopped || end == End::not_finite || end == End::no_feasible_point;
}

// Where f would go from the point that the landscape stands on, the rows pulling as their multipliers say.
Vector pull(const Problem& problem, const Landscape& landscape, const Vector& multipliers) {
  Vector out = -landscape.gradient();
  if (multipliers.size() == problem.rows().count()) out -= problem.rows().matrix.transpose() * multipliers;
  return out;
}

}  // namespace

Outcome run_phase_by_parts(const Problem& problem, Landscape& landscape, const Start& start,
                           const Options& options) {
  Start here = start;
  problem.set().project(here.x);
  Outcome outcome;
  Spent spent;
  int saddles_left = 0;
  std::optional<LinearDescription> last;
  for (int turn = 0; turn < most_parts; ++turn) {
    landscape.go_to(here.x);
    spent.full_gradients += 1;
    auto part = problem.set().part(here.x, pull(problem, landscape, here.multipliers));
    const bool stays = last && same(*part, *last);
    // The last turn has no limit of its own, and ends with a look for saddles.
    const bool may_be_last = stays || outcome.end == End::converged;
    const int left = options.most_iterations - spent.iterations;
    Options how = options;
    how.most_iterations = may_be_last ? left : std::min(left, iterations_in_a_part);
    how.look_for_saddles = options.look_for_saddles && may_be_last;
    outcome = run_phase(problem, Region::of(problem, *part), landscape, here, how);
    spent += outcome.spent;
    saddles_left += outcome.saddles_left;
    if (outcome.end == End::out_of_iterations ? spent.iterations >= options.most_iterations
                                              : may_be_last || failed(outcome.end))
      break;
    here = {outcome.x, outcome.multipliers};
    last = std::move(part);
  }
  outcome.spent = spent;
  outcome.saddles_left = saddles_left;
  return outcome;
}

}  // namespace bridle::second
