#include "bridle/algorithms/representations/lazy_storm_iterate.hpp"

namespace bridle {

// The ridge's part of the estimate is r x, whatever alpha: the modes know of it, and what is carried is the
// losses' part.
LazyStormIterate::LazyStormIterate(const StandardForm& form, const Iterate& start, const ModeClasses& classes,
                                   double decay, double draws)
    : LinearIterate(form, start),
      classes_(classes),
      decay_(decay),
      samples_({model_, form.column_scale(), rows_of(form), classes}, draws),
      point_(form.variables(), classes, decay),
      pull_(rows_of(form), classes) {
  read_variables(start);
}

void LazyStormIterate::read_variables(const Iterate& state) {
  const Index n = form_.variables();
  Vector carried = Vector::Zero(n);
  if (state.estimate.size() > 0)
    for (Index j = 0; j < n; ++j) carried[j] = state.estimate[j] - classes_.ridge_of(j) * state.x[j];
  point_.read_in([&](Index j) { return Point::Values{state.x[j], state.z[j], carried[j]}; });
  pull_.start(state.x.head(n), state.z.head(n), rows_.activity());
  previous_pull_ = pull_.x_pull();
  estimate_rows_ = pull_.by_class(carried);
}

void LazyStormIterate::write(Index j, Point::Values& at, Iterate& out) const {
  out.x[j] = at.x += out.x[j];
  out.z[j] = at.z += out.z[j];
  const double ridge = classes_.ridge_of(j);
  out.estimate[j] = at.d + ridge * at.x;
  at.d = out.estimate[j] - ridge * at.x;  // as one would find it who reads the estimate
}

void LazyStormIterate::write_variables(Iterate& out) const {
  const Index n = form_.variables();
  out.estimate = Vector::Zero(form_.dimension());
  pull_.shares(out.x.head(n), out.z.head(n));
  point_.write_out([&](Index j, Point::Values& at) { write(j, at, out); });
}

void LazyStormIterate::settle_variables(Iterate& out) {
  const Index n = form_.variables();
  out.estimate = Vector::Zero(form_.dimension());
  pull_.shares(out.x.head(n), out.z.head(n));
  Vector carried(n);
  point_.renew([&](Index j, Point::Values& at) {
    write(j, at, out);
    carried[j] = at.d;
  });
  pull_.start(out.x.head(n), out.z.head(n), rows_.activity());
  previous_pull_ = pull_.x_pull();
  estimate_rows_ = pull_.by_class(carried);
}

// At the beginning of a stage.
void LazyStormIterate::forget_estimate() {
  point_.renew([](Index, Point::Values& at) { at.d = 0; });
  estimate_rows_.values().setZero();
}

void LazyStormIterate::carry_terms() {
  for (const Term& term : terms_) {
    const auto row = samples_[term.sample];
    point_.step_direction(row.entries, -term.slope);
    pull_.add(term.slope, row.rows, estimate_rows_);
  }
}

void LazyStormIterate::primal_and_smoothing_step(const Parameters& p) {
  previous_pull_ = pull_.x_pull();
  pull_.from_samples().values() += estimate_rows_.values();
  pull_.move(p.tau, rows_.weight(), rows_.activity());
  point_.advance(p.tau);
  point_.keep_in_range();
  estimate_rows_.values() *= 1 - p.tau * decay_;
  rows_.move_slacks(p);
}

}  // namespace bridle
