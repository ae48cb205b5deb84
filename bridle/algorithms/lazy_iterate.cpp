#include "bridle/algorithms/lazy_iterate.hpp"

#include <cmath>

namespace bridle {
namespace {

constexpr double smallest_scale = 0x1p-400;  // of phi, before it is multiplied by its inverse
constexpr std::size_t line = 64;             // bytes the memory hands out at once

const SparseRows& sparse_data(const LinearModel& model) {
  return std::get<SparseRows>(model.features().storage());
}

// Column i: A C a_i, one row of A at a time.
Matrix rows_times_samples(const StandardForm& form, const SparseRows& data) {
  Matrix out(form.rows(), data.rows());
  Vector row(form.variables());
  for (Index r = 0; r < form.rows(); ++r) {
    row.setZero();
    for (SparseRows::InnerIterator it(form.matrix(), r); it; ++it)
      row[it.col()] = it.value() * form.column_scale()[it.col()];
    for (Index i = 0; i < data.rows(); ++i) {
      double sum = 0;
      for (SparseRows::InnerIterator it(data, i); it; ++it) sum += it.value() * row[it.col()];
      out(r, i) = sum;
    }
  }
  return out;
}

// Nothing when all variables are free.
std::optional<Bounds> bounds_in_units(const StandardForm& form) {
  auto bounds = form.variable_bounds();
  if (bounds && bounds->lower.maxCoeff() == -infinity && bounds->upper.minCoeff() == infinity) return std::nullopt;
  if (bounds) {
    bounds->lower.array() *= form.column_scale().array();
    bounds->upper.array() *= form.column_scale().array();
  }
  return bounds;
}

}  // namespace

LazyIterate::LazyIterate(const StandardForm& form, Iterate start, const Modes& modes)
    : form_(form),
      model_(*form.problem().objective().as_linear_model()),
      data_(sparse_data(model_)),
      modes_(modes),
      now_(std::move(start)),
      coordinates_(static_cast<std::size_t>(form.variables())),
      x_pull_(Vector::Zero(form.rows())),
      residual_(form.rows()),
      weight_(form.rows()),
      scratch_(form.rows()),
      step_(form.rows()),
      sample_rows_(rows_times_samples(form, data_)),
      gram_(form.matrix() * Matrix(form.matrix().transpose())),
      bounds_(bounds_in_units(form)) {
  read_in();
}

void LazyIterate::read_in() {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j) {
    const double c = form_.column_scale()[j];
    coordinates_[static_cast<std::size_t>(j)] = {c * (now_.x[j] + modes_.u_of_z * now_.z[j]),
                                                 c * (now_.x[j] + modes_.v_of_z * now_.z[j]), c * c, 0, 0};
  }
  u_scale_ = v_scale_ = 1;
  u_age_ = v_age_ = 0;
  u_pull_ = v_pull_ = x_pull_ = Vector::Zero(form_.rows());
  const Vector x_rows = form_.matrix() * now_.x.head(n), z_rows = form_.matrix() * now_.z.head(n);
  u_rows_ = x_rows + modes_.u_of_z * z_rows;
  v_rows_ = x_rows + modes_.v_of_z * z_rows;
}

void LazyIterate::write_out() {
  const Index n = form_.variables();
  const Vector u_pull = form_.matrix().transpose() * u_pull_, v_pull = form_.matrix().transpose() * v_pull_;
  for (Index j = 0; j < n; ++j) {
    Coordinate& c = coordinates_[static_cast<std::size_t>(j)];
    catch_up(c);
    const double u = u_scale_ * c.u / form_.column_scale()[j] + u_pull[j];
    const double v = v_scale_ * c.v / form_.column_scale()[j] + v_pull[j];
    now_.x[j] = modes_.x_of_u * u + modes_.x_of_v * v;
    now_.z[j] = modes_.z_of_u() * u + modes_.z_of_v() * v;
  }
  form_.project_variables(now_.x.head(n));
}

const Iterate& LazyIterate::state() const {
  // Changes how the state is stored, not what it is: an iterate built from the copy goes on bit for bit the
  // same.
  auto& self = const_cast<LazyIterate&>(*this);
  if (!written_) {
    self.write_out();
    self.read_in();
    self.written_ = true;
  }
  return now_;
}

void LazyIterate::expect(Sample soon, Sample later) const {
  const auto* starts = data_.outerIndexPtr();
  for (auto e = starts[soon]; e < starts[soon + 1]; ++e)
    __builtin_prefetch(&coordinates_[static_cast<std::size_t>(data_.innerIndexPtr()[e])], 1);
  const auto fetch = [&](const auto* from, const auto* to) {
    for (const auto* p = reinterpret_cast<const char*>(from); p < reinterpret_cast<const char*>(to); p += line)
      __builtin_prefetch(p);
  };
  fetch(data_.innerIndexPtr() + starts[later], data_.innerIndexPtr() + starts[later + 1]);
  fetch(data_.valuePtr() + starts[later], data_.valuePtr() + starts[later + 1]);
}

// phi was multiplied by 1 / smallest_scale since: the coordinate must be multiplied by smallest_scale.
void LazyIterate::catch_up(Coordinate& c) const {
  for (; c.u_age != u_age_ && c.u != 0; ++c.u_age) c.u *= smallest_scale;
  for (; c.v_age != v_age_ && c.v != 0; ++c.v_age) c.v *= smallest_scale;
  c.u_age = u_age_;
  c.v_age = v_age_;
}

void LazyIterate::dual_step(double eta) {
  residual_ = modes_.x_of_u * u_rows_ + modes_.x_of_v * v_rows_ - form_.right();
  for (std::size_t k = 0; k < form_.slack_rows().size(); ++k)
    residual_[form_.slack_rows()[k]] -=
        form_.slack_coefficient()[static_cast<Index>(k)] * now_.x[form_.variables() + static_cast<Index>(k)];
  form_.metric().apply(residual_, scratch_);
  now_.y += eta * residual_;
}

LazyIterate::Term LazyIterate::slope_at(Index sample, Index batch) {
  const auto begin = data_.outerIndexPtr()[sample], end = data_.outerIndexPtr()[sample + 1];
  const auto* columns = data_.innerIndexPtr();
  const auto* values = data_.valuePtr();
  double u = 0, v = 0;
  for (auto e = begin; e < end; ++e) {
    Coordinate& c = coordinates_[static_cast<std::size_t>(columns[e])];
    if (c.u_age != u_age_ || c.v_age != v_age_) catch_up(c);
    u += values[e] * c.u;
    v += values[e] * c.v;
  }
  const double product = modes_.x_of_u * u_scale_ * u + modes_.x_of_v * v_scale_ * v +
                         sample_rows_.col(sample).dot(x_pull_);
  return {sample, loss_slope(model_.loss(), product, model_.labels()[sample]) / static_cast<double>(batch)};
}

void LazyIterate::primal_and_smoothing_step(const Parameters& p) {
  written_ = false;
  move_variables(p.tau);
  move_rows(p.tau);
  move_slacks(p);
  if (bounds_) keep_within_bounds();
}

// phi <- (1 - tau lambda) phi;  uhat, vhat -= tau C^2 slope a_i / phi
void LazyIterate::move_variables(double tau) {
  u_scale_ *= 1 - tau * modes_.u_rate;
  v_scale_ *= 1 - tau * modes_.v_rate;
  const auto* columns = data_.innerIndexPtr();
  const auto* values = data_.valuePtr();
  for (const Term& term : terms_) {
    const double u_step = tau * term.slope / u_scale_, v_step = tau * term.slope / v_scale_;
    const auto begin = data_.outerIndexPtr()[term.sample], end = data_.outerIndexPtr()[term.sample + 1];
    for (auto e = begin; e < end; ++e) {
      Coordinate& c = coordinates_[static_cast<std::size_t>(columns[e])];
      const double weighted = values[e] * c.weight;
      c.u -= u_step * weighted;
      c.v -= v_step * weighted;
    }
  }
  if (u_scale_ < smallest_scale || v_scale_ < smallest_scale) rescale();
}

void LazyIterate::rescale() {
  if (u_scale_ < smallest_scale) u_scale_ /= smallest_scale, ++u_age_;
  if (v_scale_ < smallest_scale) v_scale_ /= smallest_scale, ++v_age_;
}

// A u and e_u, as u itself: (1 - tau lambda) times, minus tau times A(g + A'w) and w.
void LazyIterate::move_rows(double tau) {
  step_.noalias() = gram_.lazyProduct(weight_);
  for (const Term& term : terms_) step_ += term.slope * sample_rows_.col(term.sample);
  const double u_kept = 1 - tau * modes_.u_rate, v_kept = 1 - tau * modes_.v_rate;
  for (Index r = 0; r < step_.size(); ++r) {
    u_rows_[r] = u_kept * u_rows_[r] - tau * step_[r];
    v_rows_[r] = v_kept * v_rows_[r] - tau * step_[r];
    u_pull_[r] = u_kept * u_pull_[r] - tau * weight_[r];
    v_pull_[r] = v_kept * v_pull_[r] - tau * weight_[r];
    x_pull_[r] = modes_.x_of_u * u_pull_[r] + modes_.x_of_v * v_pull_[r];
  }
}

void LazyIterate::move_slacks(const Parameters& p) {
  for (Index k = 0; k < form_.slack_coefficient().size(); ++k) {
    double& s = now_.x[form_.variables() + k];
    double& anchor = now_.z[form_.variables() + k];
    const double old = s, pull = -form_.slack_coefficient()[k] * weight_[form_.slack_rows()[static_cast<std::size_t>(k)]];
    s = form_.project_slack(k, old - p.tau * (pull + p.mu * (old - anchor)));
    anchor += p.beta * (old - anchor);
  }
}

// Bounded variables are in no row, and between two touches x stays between x, z and 0 (with a ridge): only
// those that the samples touched can have left their bounds. x is put back, z stays.
void LazyIterate::keep_within_bounds() {
  const auto* columns = data_.innerIndexPtr();
  for (const Term& term : terms_) {
    const auto begin = data_.outerIndexPtr()[term.sample], end = data_.outerIndexPtr()[term.sample + 1];
    for (auto e = begin; e < end; ++e) {
      const Index j = columns[e];
      const double lower = bounds_->lower[j], upper = bounds_->upper[j];
      if (lower == -infinity && upper == infinity) continue;
      Coordinate& c = coordinates_[static_cast<std::size_t>(j)];
      catch_up(c);
      const double u = u_scale_ * c.u, v = v_scale_ * c.v, x = modes_.x_of_u * u + modes_.x_of_v * v;
      if (x >= lower && x <= upper) continue;
      const double change = std::clamp(x, lower, upper) - x;
      c.u += change / u_scale_;
      c.v += change / v_scale_;
    }
  }
}

}  // namespace bridle
