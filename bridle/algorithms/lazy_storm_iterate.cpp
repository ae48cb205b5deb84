#include "bridle/algorithms/lazy_storm_iterate.hpp"

namespace bridle {

LazyStormIterate::LazyStormIterate(const StandardForm& form, Iterate start, const Modes& modes, double decay)
    : LinearIterate(form, std::move(start)),
      ridge_(modes.ridge),
      decay_(decay),
      samples_(std::get<SparseRows>(model_.features().storage()), model_.labels(), form.column_scale(),
               form.matrix()),
      point_(form.variables(), modes, decay),
      pull_(form.matrix(), modes),
      previous_pull_(form.rows()) {
  if (now_.estimate.size() == 0) forget_estimate();
  read_in();
}

// The ridge's part of the estimate is r x, whatever alpha: the modes know of it, and what is carried is the
// losses' part.
void LazyStormIterate::read_in() {
  const Index n = form_.variables();
  carried_ = now_.estimate.head(n) - ridge_ * now_.x.head(n);
  point_.read_in(now_.x.head(n), now_.z.head(n), carried_);
  pull_.start(form_.matrix() * now_.x.head(n), form_.matrix() * now_.z.head(n), rows_.activity());
  previous_pull_ = pull_.x_pull();
  estimate_rows_ = form_.matrix() * carried_;
}

void LazyStormIterate::write_out() {
  const Index n = form_.variables();
  point_.write_out(now_.x.head(n), now_.z.head(n), carried_);
  pull_.add_to(form_.matrix(), now_.x.head(n), now_.z.head(n));
  now_.estimate.head(n) = carried_ + ridge_ * now_.x.head(n);
}

void LazyStormIterate::forget_estimate() {
  now_.estimate = Vector::Zero(form_.dimension());
  now_.estimate.head(form_.variables()) = ridge_ * now_.x.head(form_.variables());
}

LazyPoint::Products LazyStormIterate::products_of(const PackedSamples::Row& row) {
  return point_.products(
      row.chosen.count, [&](Index e) { return row.column(e); },
      [&](Index e) { return row.chosen.values[e]; });
}

void LazyStormIterate::carry_terms() {
  written_ = false;
  for (const Term& term : terms_) {
    const auto row = samples_[term.sample];
    point_.carry(
        term.slope, row.chosen.count, [&](Index e) { return row.column(e); },
        [&](Index e) { return row.chosen.values[e]; });
    for (Index r = 0; r < estimate_rows_.size(); ++r) estimate_rows_[r] += term.slope * row.rows[r];
  }
}

void LazyStormIterate::primal_and_smoothing_step(const Parameters& p) {
  written_ = false;
  previous_pull_ = pull_.x_pull();
  pull_.add_sample(1, estimate_rows_.data());
  pull_.move(p.tau, rows_.weight(), rows_.activity());
  point_.advance(p.tau);
  estimate_rows_ *= 1 - p.tau * decay_;
  rows_.move_slacks(p);
}

}  // namespace bridle
