#include "bridle/scaling/presolve.hpp"

#include <numeric>

#include "bridle/problem/sets/box.hpp"

namespace bridle {

Presolved presolve(const Problem& problem) {
  const Rows& rows = problem.rows();
  Presolved out{problem.set(), {}};
  auto bounds = problem.set().bounds();
  if (!bounds) {
    out.kept_rows.resize(static_cast<std::size_t>(rows.count()));
    std::iota(out.kept_rows.begin(), out.kept_rows.end(), Index{0});
    return out;
  }

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
      lower = std::max(lower, bounds->lower[j]);
      upper = std::min(upper, bounds->upper[j]);
      if (lower <= upper) {  // otherwise the row contradicts X: it stays a row, to be found infeasible
        bounds->lower[j] = lower;
        bounds->upper[j] = upper;
        tightened = true;
        continue;
      }
    }
    out.kept_rows.push_back(i);
  }
  if (tightened) out.set = Box(std::move(bounds->lower), std::move(bounds->upper));
  return out;
}

}  // namespace bridle
