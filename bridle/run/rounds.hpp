// A run that goes on until its point is certified: rounds from where the last one got to, each with four
// times the budget, up to a ceiling; and why a run that was not certified has stopped.
#pragma once

#include "bridle/run/options.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

// Whether nothing else than the tolerance is to end the run: no budget was said, and the parameters are the
// library's own.
bool goes_on_until_certified(const SolveOptions& options);

// One round, or as many as it takes.
Result run_in_rounds(const Problem& problem, const SolveOptions& options, Observer& observer);

// How budgets grow, in sample gradients: 1, 5, 21, 85, ... times the first.
inline double next_round(double budget, double first) { return 4 * budget + first; }
// Most sample gradients of such a run: some minutes of work on a problem of this size.
double most_samples(const Problem& problem, double first_budget);
// Four times the budget has lowered the error by less than this share, and did so the last time.
inline constexpr double worth_going_on = 0.8;
inline constexpr int patient_rounds = 2;

enum class StoppedBy { samples, first_budget, seconds, ceiling, stall, batch };
// Why a run ended above its tolerance, and what to do about it, in a line.
std::string advice(StoppedBy reason, double samples, const Certificate& certificate);
// "; the point meets a tolerance of 1e-3", where it has an error; the end of such a line.
std::string tolerance_met_by(const Certificate& certificate);
// What the judge's batch leaves open is above the tolerance, and most of the error.
bool batch_is_the_limit(const Certificate& certificate, double tolerance);

}  // namespace bridle
