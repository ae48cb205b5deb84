#include "bridle/algorithms/representations/lazy_sampled_iterate.hpp"

namespace bridle {
namespace {

DrawnRow entries_of(const RowSample& sample, const RowSample::Row& row) {
  return {sample.values.data() + row.begin, sample.columns.data() + row.begin,
          static_cast<Index>(row.end - row.begin)};
}

}  // namespace

LazySampledIterate::LazySampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start,
                                       bool literal_draws, const ModeClasses& classes, double draws)
    : SampledRows(form, std::move(rows), std::move(start), literal_draws),
      model_(*form.problem().objective().as_linear_model()),
      samples_(
          {model_, form.column_scale(), std::make_shared<const SparseRows>(0, form.variables()), classes},
          draws),
      point_(form.variables(), classes),
      carried_(Vector::Zero(form.variables())) {
  read_variables();
}

void LazySampledIterate::read_variables() {
  sum_up_multipliers();
  point_.read_in([&](Index j) { return Point::Values{now_.x[j], now_.z[j], carried_[j]}; });
}

void LazySampledIterate::sum_up_multipliers() {
  y_squared_ = now_.y.squaredNorm();
  if (inclusion_) carried_ = form_.matrix().transpose() * now_.y;
}

void LazySampledIterate::write_variables(Iterate& out) const {
  point_.write_out([&](Index j, const Point::Values& at) {
    out.x[j] = at.x;
    out.z[j] = at.z;
  });
}

void LazySampledIterate::settle_variables(Iterate& out) {
  sum_up_multipliers();
  point_.renew([&](Index j, Point::Values& at) {
    out.x[j] = at.x;
    out.z[j] = at.z;
    at.d = carried_[j];
  });
}

double LazySampledIterate::drawn_activity(const RowSample& sample, const RowSample::Row& row) {
  return point_.product(entries_of(sample, row)) - row.right;
}

void LazySampledIterate::push(const RowSample& sample, const RowSample::Row& row, double factor) {
  if (!inclusion_) point_.catch_up(entries_of(sample, row));  // else the row's activity was looked at
  pushes_.push_back({row, factor});
}

void LazySampledIterate::carry(const RowSample& sample, const RowSample::Row& row, double change) {
  point_.step_direction(entries_of(sample, row), -change);
}

// The safeguard has set y to 0, which is rare: O(n).
void LazySampledIterate::forget_carried() {
  point_.renew([](Index, Point::Values& at) { at.d = 0; });
}

void LazySampledIterate::primal_and_smoothing_step(const Parameters& p) {
  point_.advance(p.tau);
  for (const Term& term : terms_) point_.step(term.row.entries, term.slope);
  for (const Push& push : pushes_) point_.step(entries_of(sample_, push.row), push.factor);
  pushes_.clear();
  point_.keep_in_range();
  move_slacks(p);
  if (point_.share_is_large()) {
    sum_up_multipliers();
    point_.renew([&](Index j, Point::Values& at) { at.d = carried_[j]; });
  }
}

}  // namespace bridle
