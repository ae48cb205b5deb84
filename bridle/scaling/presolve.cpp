#include "bridle/scaling/presolve.hpp"

#include <numeric>

#include "bridle/problem/sets/box.hpp"
#include "bridle/scaling/dependent_rows.hpp"

namespace bridle {

namespace {

// Moves rows with one variable into the bounds of the box, as long as they do not contradict it.
void absorb_singletons(const Problem& problem, Bounds& bounds, Presolved& out) {
  const Rows& rows = problem.rows();
  bool tightened = false;
  for (Index i = 0; i < rows.count(); ++i) {
    SparseRows::InnerIterator entry(rows.matrix, i);
    const Index nonzeros = rows.matrix.outerIndexPtr()[i + 1] - rows.matrix.outerIndexPtr()[i];
    if (i >= problem.first_stochastic_row()) {
      out.kept_rows.push_back(i);
      continue;
    }
    if (nonzeros == 0 && rows.lower[i] <= 0 && rows.upper[i] >= 0) continue;  // always holds
    if (nonzeros == 1) {
      const Index j = entry.col();
      double lower = rows.lower[i] / entry.value(), upper = rows.upper[i] / entry.value();
      if (entry.value() < 0) std::swap(lower, upper);
      lower = std::max(lower, bounds.lower[j]);
      upper = std::min(upper, bounds.upper[j]);
      if (lower <= upper) {  // otherwise the row contradicts X: it stays a row, to be found infeasible
        bounds.lower[j] = lower;
        bounds.upper[j] = upper;
        tightened = true;
        continue;
      }
    }
    out.kept_rows.push_back(i);
  }
  if (tightened) out.set = Box(std::move(bounds.lower), std::move(bounds.upper));
}

}  // namespace

Presolved presolve(const Problem& problem, bool drop_dependent) {
  Presolved out{problem, problem.set(), {}, {}};
  if (auto bounds = problem.set().bounds()) {
    absorb_singletons(problem, *bounds, out);
  } else {
    out.kept_rows.resize(static_cast<std::size_t>(problem.rows().count()));
    std::iota(out.kept_rows.begin(), out.kept_rows.end(), Index{0});
  }
  if (problem.stochastic_rows() || !drop_dependent) return out;
  out.dependent = dependent_rows(problem.rows(), out.kept_rows);
  for (const Index i : out.dependent) std::erase(out.kept_rows, i);
  return out;
}

}  // namespace bridle
