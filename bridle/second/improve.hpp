// The second-order phase: from a point near a solution to one that is as good as the arithmetic allows.
//
// Feasible sequential quadratic programming. Each step minimises a quadratic model of f over the bounds and
// rows, so that every iterate is a convex combination of feasible points, and a line search makes f fall. Of
// linear models the line search takes the outputs only, never a pass over the data. docs/second-order.md has
// the formulas.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bridle/problem/problem.hpp"
#include "bridle/second/work.hpp"

namespace bridle::second {

// Whether the phase serves a problem, and if not, why.
struct Applies {
  bool yes = true;
  std::string reason = {};
  explicit operator bool() const { return yes; }
};
Applies applies(const Problem& problem);

struct Start {
  Vector x;                 // projected onto the feasible set where it is not in it
  Vector multipliers = {};  // of the problem's rows; a guess, or empty
};

enum class Path { automatic, dense, products };

// Every iterate, the start included.
struct Visit {
  const Vector& x;
  const Vector& multipliers;
  double value;
  double error;  // estimated
};

struct Options {
  double tolerance = 1e-8;
  int most_iterations = 200;
  Path path = Path::automatic;
  bool look_for_saddles = true;     // and report the least curvature
  std::function<bool()> stop = {};  // asked in every inner iteration; true ends the phase
  // The judge's error of a point; asked where the phase's own estimate is below the tolerance. Without a
  // judge the estimate decides.
  std::function<double(const Vector& x, const Vector& multipliers)> judge = {};
  std::function<void(const Visit&)> visit = {};
};

enum class End {
  converged,          // the judge is content
  at_rest,            // f cannot be lowered any more in this arithmetic
  stopped,            // by the callback
  out_of_iterations,  //
  not_finite,         // f, its gradient or its curvature is not: the last sound point is returned
  no_feasible_point,  // the start could not be projected
};
const char* meaning(End end);

struct Outcome {
  Vector x;            // feasible, unless there was no feasible point
  Vector multipliers;  // of the problem's rows
  double value = infinity;
  double error = infinity;  // the judge's where he was asked, else estimated
  End end = End::at_rest;
  Spent spent;
  bool dense = false;  // which path was taken
  int saddles_left = 0;
  // d'Hd over d'Md for the best direction found that keeps the touched bounds and rows, M the diagonal of
  // bounds of the curvature, at x: negative at a saddle. Not there where it was not looked for, nor at a
  // vertex, where no direction keeps them.
  std::optional<double> least_curvature = {};
};

// Throws InputError where the phase does not apply.
Outcome improve(const Problem& problem, const Start& start, const Options& options = {});

// What the phase is expected to cost, from the problem's size and the time that one nonzero of the data takes
// in a pass.
struct Cost {
  double seconds = 0;
  double sample_gradients = 0;  // that take as long
  double hessian_passes = 1;    // passes over the samples that take as long as a dense Hessian
  bool dense = false;
};
Cost estimate_cost(const Problem& problem, double nanoseconds_per_nonzero);

inline constexpr Index most_dense_variables = 2000;

// The path that is expected to be the cheaper one. Dense Hessians are the safer one: where products come
// first, so many of them may be taken as the other path would have cost, and then it is taken after all.
struct PathChoice {
  bool dense = true;
  double most_products = infinity;
};
PathChoice choose_path(const Problem& problem);

}  // namespace bridle::second
