#include "bridle/algorithms/lazy_iterate.hpp"

#include <cmath>

namespace bridle {
namespace {

const SparseRows& sparse_data(const LinearModel& model) {
  return std::get<SparseRows>(model.features().storage());
}

std::vector<double> values_times(const SparseRows& data, const Vector& columns) {
  std::vector<double> out;
  if ((columns.array() == 1.0).all()) return out;
  out.resize(static_cast<std::size_t>(data.nonZeros()));
  for (std::size_t e = 0; e < out.size(); ++e) out[e] = data.valuePtr()[e] * columns[data.innerIndexPtr()[e]];
  return out;
}

// Column i: A a_i, one row of A at a time.
Matrix rows_times_samples(const SparseRows& rows, const SparseRows& data, const double* values) {
  Matrix out(rows.rows(), data.rows());
  Vector row(rows.cols());
  const auto* starts = data.outerIndexPtr();
  const auto* columns = data.innerIndexPtr();
  for (Index r = 0; r < rows.rows(); ++r) {
    row.setZero();
    for (SparseRows::InnerIterator it(rows, r); it; ++it) row[it.col()] = it.value();
    for (Index i = 0; i < data.rows(); ++i) {
      double sum = 0;
      for (auto e = starts[i]; e < starts[i + 1]; ++e) sum += values[e] * row[columns[e]];
      out(r, i) = sum;
    }
  }
  return out;
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
      data_(sparse_data(model_)),
      scaled_values_(values_times(data_, form.column_scale())),
      values_(scaled_values_.empty() ? data_.valuePtr() : scaled_values_.data()),
      modes_(modes),
      lines_(static_cast<std::size_t>(form.variables()) / in_line + 1),
      ages_(lines_.size()),
      x_pull_(Vector::Zero(form.rows())),
      step_(form.rows()),
      sample_rows_(rows_times_samples(form.matrix(), data_, values_)),
      gram_(form.matrix() * Matrix(form.matrix().transpose())),
      bounds_(finite_bounds(form)) {
  read_in();
}

void LazyIterate::read_in() {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j)
    coordinate(j) = Pair{now_.x[j] + modes_.u_of_z * now_.z[j], now_.x[j] + modes_.v_of_z * now_.z[j]};
  std::fill(ages_.begin(), ages_.end(), Age{});
  age_ = {};
  scale_ = Pair{1, 1};
  u_pull_ = v_pull_ = x_pull_ = Vector::Zero(form_.rows());
  const Vector x_rows = form_.matrix() * now_.x.head(n), z_rows = form_.matrix() * now_.z.head(n);
  u_rows_ = x_rows + modes_.u_of_z * z_rows;
  v_rows_ = x_rows + modes_.v_of_z * z_rows;
}

void LazyIterate::write_out() {
  const Index n = form_.variables();
  const Vector u_pull = form_.matrix().transpose() * u_pull_, v_pull = form_.matrix().transpose() * v_pull_;
  for (std::size_t line = 0; line < ages_.size(); ++line) catch_up(line);
  for (Index j = 0; j < n; ++j) {
    const Pair pair = scale_ * coordinate(j) + Pair{u_pull[j], v_pull[j]};
    const double u = pair[0], v = pair[1];
    now_.x[j] = modes_.x_of_u * u + modes_.x_of_v * v;
    now_.z[j] = modes_.z_of_u() * u + modes_.z_of_v() * v;
  }
  form_.project_variables(now_.x.head(n));
}

double LazyIterate::product_with(Index sample) {
  const auto begin = data_.outerIndexPtr()[sample], end = data_.outerIndexPtr()[sample + 1];
  const auto* columns = data_.innerIndexPtr();
  Pair sum{}, other{};
  auto e = begin;
  for (; e + 1 < end; e += 2) {
    sum += values_[e] * touch(columns[e]);
    other += values_[e + 1] * touch(columns[e + 1]);
  }
  if (e < end) sum += values_[e] * touch(columns[e]);
  sum = scale_ * (sum + other);
  return modes_.x_of_u * sum[0] + modes_.x_of_v * sum[1] + sample_rows_.col(sample).dot(x_pull_);
}

void LazyIterate::primal_and_smoothing_step(const Parameters& p) {
  written_ = false;
  move_variables(p.tau);
  move_rows(p.tau);
  move_slacks(p);
  if (bounds_) keep_within_bounds();
}

// phi <- (1 - tau lambda) phi;  uhat, vhat -= tau slope a_i / phi
void LazyIterate::move_variables(double tau) {
  scale_ *= Pair{1 - tau * modes_.u_rate, 1 - tau * modes_.v_rate};
  const auto* columns = data_.innerIndexPtr();
  for (const Term& term : terms_) {
    const Pair step = tau * term.slope / scale_;
    const auto begin = data_.outerIndexPtr()[term.sample], end = data_.outerIndexPtr()[term.sample + 1];
    for (auto e = begin; e < end; ++e) coordinate(columns[e]) -= step * values_[e];
  }
  if (scale_[0] < smallest_scale || scale_[1] < smallest_scale) rescale();
}

// Ages are small numbers: every 65,535 rescalings all lines catch up and start anew.
void LazyIterate::rescale() {
  if (std::max(age_.u, age_.v) == std::numeric_limits<std::uint16_t>::max()) {
    for (std::size_t line = 0; line < ages_.size(); ++line) catch_up(line);
    std::fill(ages_.begin(), ages_.end(), Age{});
    age_ = {};
  }
  if (scale_[0] < smallest_scale) scale_[0] /= smallest_scale, ++age_.u;
  if (scale_[1] < smallest_scale) scale_[1] /= smallest_scale, ++age_.v;
}

// A u and e_u, as u itself: (1 - tau lambda) times, minus tau times A(g + A'w) and w.
void LazyIterate::move_rows(double tau) {
  step_.setZero();
  for (Index r = 0; r < step_.size(); ++r) step_ += weight_[r] * gram_.col(r);
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
      Pair& at = touch(j);  // phi may just have been rescaled
      const Pair pair = scale_ * at;
      const double x = modes_.x_of_u * pair[0] + modes_.x_of_v * pair[1];
      if (x < lower || x > upper) at += (std::clamp(x, lower, upper) - x) / scale_;
    }
  }
}

}  // namespace bridle
