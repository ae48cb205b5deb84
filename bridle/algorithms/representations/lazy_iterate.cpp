#include "bridle/algorithms/representations/lazy_iterate.hpp"

#include <algorithm>

namespace bridle {
namespace {

// Nothing when all variables are free.
std::optional<Bounds> finite_bounds(const StandardForm& form) {
  auto bounds = form.variable_bounds();
  if (bounds && bounds->lower.maxCoeff() == -infinity && bounds->upper.minCoeff() == infinity)
    return std::nullopt;
  return bounds;
}

}  // namespace

LazyIterate::LazyIterate(const StandardForm& form, const Iterate& start, const ModeClasses& classes)
    : LinearIterate(form, start),
      samples_(model_, form.column_scale(), form.matrix(), classes),
      point_(form.variables(), classes),
      pull_(rows_of(form), classes),
      bounds_(finite_bounds(form)) {
  const Index n = form_.variables();
  point_.read_in([&](Index j) { return Point::Values{start.x[j], start.z[j], 0}; });
  pull_.start(start.x.head(n), start.z.head(n), rows_.activity());
}

void LazyIterate::write(Index j, Point::Values& at, Iterate& out) const {
  at.x += out.x[j];
  at.z += out.z[j];
  if (bounds_) {  // within but for rounding, which must not forbid this iterate
    at.x = std::min(std::max(at.x, bounds_->lower[j]), bounds_->upper[j]);
    at.z = std::min(std::max(at.z, bounds_->lower[j]), bounds_->upper[j]);
  }
  out.x[j] = at.x;
  out.z[j] = at.z;
}

void LazyIterate::write_variables(Iterate& out) const {
  const Index n = form_.variables();
  pull_.shares(out.x.head(n), out.z.head(n));
  point_.write_out([&](Index j, Point::Values& at) { write(j, at, out); });
}

void LazyIterate::settle_variables(Iterate& out) {
  const Index n = form_.variables();
  pull_.shares(out.x.head(n), out.z.head(n));
  point_.renew([&](Index j, Point::Values& at) { write(j, at, out); });
  pull_.start(out.x.head(n), out.z.head(n), rows_.activity());
}

double LazyIterate::product_with(Index sample) {
  const auto row = samples_[sample];
  return point_.product(row.entries) + pull_.product(row.rows);
}

void LazyIterate::primal_and_smoothing_step(const Parameters& p) {
  point_.advance(p.tau);
  for (const Term& term : terms_) {
    if (term.slope == 0) continue;
    const auto row = samples_[term.sample];
    point_.step(row.entries, term.slope);
    pull_.add_sample(term.slope, row.rows);
  }
  point_.keep_in_range();
  pull_.move(p.tau, rows_.weight(), rows_.activity());
  rows_.move_slacks(p);
  if (bounds_) keep_within_bounds();
}

// Bounded variables are in no row, and between two touches x stays between x, z and 0 (with a ridge): only
// those that the samples touched can have left their bounds. x is put back, z stays.
void LazyIterate::keep_within_bounds() {
  for (const Term& term : terms_) {
    const auto row = samples_[term.sample];
    for (Index e = 0; e < row.entries.count; ++e) {
      const Index j = row.entries.column(e);
      const double lower = bounds_->lower[j], upper = bounds_->upper[j];
      if (lower != -infinity || upper != infinity) point_.clamp(j, lower, upper);
    }
  }
}

}  // namespace bridle
