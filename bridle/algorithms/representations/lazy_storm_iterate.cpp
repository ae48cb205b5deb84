#include "bridle/algorithms/representations/lazy_storm_iterate.hpp"

namespace bridle {

// The ridge's part of the estimate is r x, whatever alpha: the modes know of it, and what is carried is the
// losses' part.
LazyStormIterate::LazyStormIterate(const StandardForm& form, const Iterate& start, const Modes& modes,
                                   double decay)
    : LinearIterate(form, start),
      ridge_(modes.ridge),
      decay_(decay),
      samples_(std::get<SparseRows>(model_.features().storage()), model_.labels(), form.column_scale(),
               form.matrix()),
      point_(form.variables(), modes, decay),
      pull_(form.matrix(), modes),
      previous_pull_(form.rows()) {
  const Index n = form_.variables();
  Vector carried = Vector::Zero(n);
  if (start.estimate.size() > 0) carried = start.estimate.head(n) - ridge_ * start.x.head(n);
  point_.read_in([&](Index j) { return Point::Values{start.x[j], start.z[j], carried[j]}; });
  pull_.start(form_.matrix() * start.x.head(n), form_.matrix() * start.z.head(n), rows_.activity());
  previous_pull_ = pull_.x_pull();
  estimate_rows_ = form_.matrix() * carried;
}

void LazyStormIterate::write(Index j, Point::Values& at, Iterate& out) const {
  out.x[j] = at.x += out.x[j];
  out.z[j] = at.z += out.z[j];
  out.estimate[j] = at.d + ridge_ * at.x;
  at.d = out.estimate[j] - ridge_ * at.x;  // as one would find it who reads the estimate
}

void LazyStormIterate::write_variables(Iterate& out) const {
  const Index n = form_.variables();
  out.estimate = Vector::Zero(form_.dimension());
  pull_.shares(form_.matrix(), out.x.head(n), out.z.head(n));
  point_.write_out([&](Index j, Point::Values& at) { write(j, at, out); });
}

void LazyStormIterate::settle_variables(Iterate& out) {
  const Index n = form_.variables();
  out.estimate = Vector::Zero(form_.dimension());
  pull_.shares(form_.matrix(), out.x.head(n), out.z.head(n));
  point_.renew([&](Index j, Point::Values& at) { write(j, at, out); });
  pull_.start(form_.matrix() * out.x.head(n), form_.matrix() * out.z.head(n), rows_.activity());
  previous_pull_ = pull_.x_pull();
  estimate_rows_ = form_.matrix() * (out.estimate.head(n) - ridge_ * out.x.head(n));
}

// At the beginning of a stage.
void LazyStormIterate::forget_estimate() {
  point_.renew([](Index, Point::Values& at) { at.d = 0; });
  estimate_rows_.setZero();
}

void LazyStormIterate::carry_terms() {
  for (const Term& term : terms_) {
    const auto row = samples_[term.sample];
    point_.subtract(row.entries, point_.step_of_direction(-term.slope));
    for (Index r = 0; r < estimate_rows_.size(); ++r) estimate_rows_[r] += term.slope * row.rows[r];
  }
}

void LazyStormIterate::primal_and_smoothing_step(const Parameters& p) {
  previous_pull_ = pull_.x_pull();
  pull_.add_sample(1, estimate_rows_.data());
  pull_.move(p.tau, rows_.weight(), rows_.activity());
  point_.advance(p.tau);
  point_.keep_in_range();
  estimate_rows_ *= 1 - p.tau * decay_;
  rows_.move_slacks(p);
}

}  // namespace bridle
