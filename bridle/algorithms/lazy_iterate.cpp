#include "bridle/algorithms/lazy_iterate.hpp"

#include <cmath>

namespace bridle {
namespace {

const SparseRows& sparse_data(const LinearModel& model) {
  return std::get<SparseRows>(model.features().storage());
}

// Nothing when all variables are free.
std::optional<Bounds> finite_bounds(const StandardForm& form) {
  auto bounds = form.variable_bounds();
  if (bounds && bounds->lower.maxCoeff() == -infinity && bounds->upper.minCoeff() == infinity)
    return std::nullopt;
  return bounds;
}

}  // namespace

LazyIterate::LazyIterate(const StandardForm& form, Iterate start, const Modes& modes)
    : LinearIterate(form, std::move(start)),
      modes_(modes),
      samples_(sparse_data(model_), model_.labels(), form.column_scale(), form.matrix()),
      pairs_(static_cast<std::size_t>(form.variables())),
      pull_(form.matrix(), modes),
      bounds_(finite_bounds(form)) {
  read_in();
}

void LazyIterate::read_in() {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j)
    pair(j) =
        marked(ModePair{now_.x[j] + modes_.u_of_z * now_.z[j], now_.x[j] + modes_.v_of_z * now_.z[j]}, 0);
  mark_ = 0;
  factors_.fill(ModePair{1, 1});
  scale_ = ModePair{1, 1};
  pull_.start(form_.matrix() * now_.x.head(n), form_.matrix() * now_.z.head(n), rows_.activity());
}

void LazyIterate::write_out() {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j) {
    const ModePair both = scale_ * up_to_date(j);
    const double u = both[0], v = both[1];
    now_.x[j] = modes_.x_of_u * u + modes_.x_of_v * v;
    now_.z[j] = modes_.z_of_u() * u + modes_.z_of_v() * v;
  }
  pull_.add_to(form_.matrix(), now_.x.head(n), now_.z.head(n));
  form_.project_variables(now_.x.head(n));
  form_.project_variables(now_.z.head(n));  // within but for rounding, which must not forbid this iterate
}

double LazyIterate::product_with(Index sample) {
  const auto row = samples_[sample];
  bool missed_rescalings;
  ModePair sum = pair_product(pairs_.data(), row.chosen, mark_, missed_rescalings);
  if (missed_rescalings) {
    catch_up(pairs_.data(), row.chosen, factors_, mark_);
    sum = pair_product(pairs_.data(), row.chosen, mark_, missed_rescalings);
  }
  sum *= scale_;
  return modes_.x_of_u * sum[0] + modes_.x_of_v * sum[1] + row_product(row.rows, pull_.x_pull());
}

void LazyIterate::primal_and_smoothing_step(const Parameters& p) {
  written_ = false;
  move_variables(p.tau);
  pull_.move(p.tau, rows_.weight(), rows_.activity());
  rows_.move_slacks(p);
  if (bounds_) keep_within_bounds();
}

// phi <- (1 - tau lambda) phi;  uhat, vhat -= tau slope a_i / phi, up to date since their product was taken
void LazyIterate::move_variables(double tau) {
  scale_ *= ModePair{1 - tau * modes_.u_rate, 1 - tau * modes_.v_rate};
  const ModePair length = tau / scale_;
  for (const Term& term : terms_) {
    if (term.slope == 0) continue;
    const auto row = samples_[term.sample];
    move_pairs(pairs_.data(), row.chosen, term.slope * length, mark_);
    pull_.add_sample(term.slope, row.rows);
  }
  if (scale_[0] < smallest_scale || scale_[1] < smallest_scale) rescale();
}

// There are 256 marks: when they are used up, all pairs catch up and start anew.
void LazyIterate::rescale() {
  if (mark_ + 1 == marks) {
    for (Index j = 0; j < form_.variables(); ++j) pair(j) = marked(up_to_date(j), 0);
    mark_ = 0;
    factors_.fill(ModePair{1, 1});
  }
  ModePair factor{1, 1};
  for (const int k : {0, 1})
    if (scale_[k] < smallest_scale) factor[k] = smallest_scale;
  scale_ /= factor;
  for (ModePair& missed : factors_) missed *= factor;
  factors_[static_cast<std::size_t>(++mark_)] = ModePair{1, 1};
}

// Bounded variables are in no row, and between two touches x stays between x, z and 0 (with a ridge): only
// those that the samples touched can have left their bounds. x is put back, z stays.
void LazyIterate::keep_within_bounds() {
  for (const Term& term : terms_) {
    const auto row = samples_[term.sample];
    for (Index e = 0; e < row.chosen.count; ++e) {
      const Index j = row.column(e);
      const double lower = bounds_->lower[j], upper = bounds_->upper[j];
      if (lower == -infinity && upper == infinity) continue;
      const ModePair hat = up_to_date(j), both = scale_ * hat;  // phi may just have been rescaled
      const double x = modes_.x_of_u * both[0] + modes_.x_of_v * both[1];
      if (x < lower || x > upper) pair(j) = marked(hat + (std::clamp(x, lower, upper) - x) / scale_, mark_);
    }
  }
}

}  // namespace bridle
