#include "bridle/certify/implied_bounds.hpp"

#include <algorithm>

namespace bridle {
namespace {

constexpr int rounds = 3;

// The least or the largest that some terms can add up to, those that have no end counted apart.
struct Extreme {
  long double sum = 0;
  Index endless_terms = 0;

  void add(double bound, double coefficient) {
    if (is_finite(bound))
      sum += static_cast<long double>(coefficient) * bound;
    else
      ++endless_terms;
  }
  // Without one of the terms; nothing where the others have no end.
  std::optional<long double> without(double bound, double coefficient) const {
    const bool finite = is_finite(bound);
    if (endless_terms > (finite ? 0 : 1)) return {};
    return finite ? sum - static_cast<long double>(coefficient) * bound : sum;
  }
};

// a x <= limit.
void narrow(Index j, double a, long double limit, Bounds& out) {
  const auto bound = static_cast<double>(limit / a);
  if (a > 0)
    out.upper[j] = std::min(out.upper[j], bound);
  else
    out.lower[j] = std::max(out.lower[j], bound);
}

}  // namespace

Bounds implied_bounds(const Rows& rows, Bounds own) {
  for (int round = 0; round < rounds; ++round) {
    Bounds next = own;
    for (Index i = 0; i < rows.count(); ++i) {
      Extreme least, most;
      for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
        if (it.value() == 0) continue;
        const bool up = it.value() > 0;
        least.add((up ? own.lower : own.upper)[it.col()], it.value());
        most.add((up ? own.upper : own.lower)[it.col()], it.value());
      }
      for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
        const double a = it.value();
        if (a == 0) continue;
        const double low = (a > 0 ? own.lower : own.upper)[it.col()],
                     high = (a > 0 ? own.upper : own.lower)[it.col()];
        if (is_finite(rows.upper[i]))
          if (const auto others = least.without(low, a)) narrow(it.col(), a, rows.upper[i] - *others, next);
        if (is_finite(rows.lower[i]))
          if (const auto others = most.without(high, a)) narrow(it.col(), -a, *others - rows.lower[i], next);
      }
    }
    own = std::move(next);
  }
  return own;
}

}  // namespace bridle
