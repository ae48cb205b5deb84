#include "bridle/algorithms/representations/lazy_rows.hpp"

#include "bridle/algorithms/representations/half_lanes.hpp"

namespace bridle {
namespace {

struct RowStep {
  Index count;   // of numbers, in whole halves of lanes
  Index rows;    // columns of the Gram matrix
  Index stride;  // from one of its columns to the next
  double tau;
  const double *gram, *row_weight, *weight, *u_rate, *v_rate, *x_of_u, *x_of_v;
  double *from_samples, *u_rows, *v_rows, *u_pull, *v_pull, *x_pull, *activity;
};

// a <- kept a - moved, b likewise; out <- a and b as x sees them
[[gnu::always_inline]] inline void move_modes(const RowStep& s, Index k, const HalfPack& moved, double* a,
                                              double* b, double* out) {
  HalfPack u, v, rate, share, sum;
  load(u, a + k), load(rate, s.u_rate + k);
  u = (1 - s.tau * rate) * u - moved;
  store(a + k, u);
  load(v, b + k), load(rate, s.v_rate + k);
  v = (1 - s.tau * rate) * v - moved;
  store(b + k, v);
  load(share, s.x_of_u + k);
  sum = share * u;
  load(share, s.x_of_v + k);
  sum += share * v;
  store(out + k, sum);
}

BRIDLE_DISPATCH void take_row_step(const RowStep& s) {
  HalfPack moved, other;
  const HalfPack zero{};
  for (Index k = 0; k < s.count; k += half_lanes) {
    load(moved, s.from_samples + k);
    store(s.from_samples + k, zero);
    for (Index r = 0; r < s.rows; ++r) {
      load(other, s.gram + r * s.stride + k);
      moved += s.row_weight[r] * other;
    }
    moved *= s.tau;
    move_modes(s, k, moved, s.u_rows, s.v_rows, s.activity);
    load(moved, s.weight + k);
    moved *= s.tau;
    move_modes(s, k, moved, s.u_pull, s.v_pull, s.x_pull);
  }
}

}  // namespace

LazyRows::LazyRows(std::shared_ptr<const SparseRows> matrix, const ModeClasses& classes)
    : matrix_(std::move(matrix)),
      classes_(classes),
      stride_(classes.count() == 1 ? 1 : in_half_lanes(classes.count())) {
  const Index rows = matrix_->rows(), size = rows * stride_;
  for (LaneVector* numbers : {&u_rate_, &v_rate_, &x_of_u_, &x_of_v_, &u_pull_, &v_pull_, &x_pull_, &u_rows_,
                              &v_rows_, &from_samples_, &step_, &weight_})
    *numbers = LaneVector(size);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < classes.count(); ++c) {
      const Modes& modes = classes.modes[static_cast<std::size_t>(c)];
      u_rate_[place(r, c)] = modes.u_rate;
      v_rate_[place(r, c)] = modes.v_rate;
      x_of_u_[place(r, c)] = modes.x_of_u;
      x_of_v_[place(r, c)] = modes.x_of_v;
    }
  gram_ = LaneVector(step_.blocks() * lanes * rows);
  Vector column(matrix_->cols());
  for (Index s = 0; s < rows; ++s) {
    column.setZero();
    for (SparseRows::InnerIterator it(*matrix_, s); it; ++it) column[it.col()] = it.value();
    const LaneVector products = by_class(column);
    std::copy_n(products.data(), size, gram_.data() + s * step_.blocks() * lanes);
  }
}

LaneVector LazyRows::by_class(ConstVectorRef v) const {
  LaneVector out(matrix_->rows() * stride_);
  for (Index r = 0; r < matrix_->rows(); ++r)
    for (SparseRows::InnerIterator it(*matrix_, r); it; ++it)
      out[place(r, classes_.of(it.col()))] += it.value() * v[it.col()];
  return out;
}

void LazyRows::start(ConstVectorRef x, ConstVectorRef z, double* activity) {
  for (LaneVector* numbers : {&u_pull_, &v_pull_, &x_pull_, &from_samples_}) numbers->values().setZero();
  const LaneVector x_rows = by_class(x), z_rows = by_class(z);
  for (Index r = 0; r < matrix_->rows(); ++r) {
    activity[r] = 0;
    for (Index c = 0; c < classes_.count(); ++c) {
      const Modes& modes = classes_.modes[static_cast<std::size_t>(c)];
      const Index k = place(r, c);
      u_rows_[k] = x_rows[k] + modes.u_of_z * z_rows[k];
      v_rows_[k] = x_rows[k] + modes.v_of_z * z_rows[k];
      activity[r] += modes.x_of_u * u_rows_[k] + modes.x_of_v * v_rows_[k];
    }
  }
}

double LazyRows::product(const PackedSamples::RowShares& of_sample, const LaneVector& pull) const {
  const Index rows = matrix_->rows();
  const double *values = of_sample.values, *const pulls = pull.data();
  double even = 0, odd = 0;
  if (!of_sample.classes) {
    Index r = 0;
    for (; r + 1 < rows; r += 2) {
      even += values[r] * pulls[r];
      odd += values[r + 1] * pulls[r + 1];
    }
    if (r < rows) even += values[r] * pulls[r];
    return even + odd;
  }
  for (Index k = 0; k < of_sample.count; ++k)
    for (Index r = 0; r < rows; ++r) even += *values++ * pulls[place(r, of_sample.classes[k])];
  return even;
}

void LazyRows::add(double slope, const PackedSamples::RowShares& of_sample, LaneVector& to) const {
  const Index rows = matrix_->rows();
  const double* values = of_sample.values;
  double* const sums = to.data();
  for (Index k = 0; k < of_sample.count; ++k) {
    const Index of_class = of_sample.classes ? of_sample.classes[k] : 0;
    for (Index r = 0; r < rows; ++r) sums[place(r, of_class)] += slope * *values++;
  }
}

void LazyRows::shares(VectorRef x, VectorRef z) const {
  x.setZero();
  z.setZero();
  for (Index r = 0; r < matrix_->rows(); ++r)
    for (SparseRows::InnerIterator it(*matrix_, r); it; ++it) {
      const Index of_class = classes_.of(it.col()), k = place(r, of_class);
      const Modes& modes = classes_.modes[static_cast<std::size_t>(of_class)];
      x[it.col()] += it.value() * x_pull_[k];
      z[it.col()] += it.value() * (modes.z_of_u() * u_pull_[k] + modes.z_of_v() * v_pull_[k]);
    }
}

void LazyRows::move(double tau, const LaneVector& weight, double* activity) {
  const bool one_class = classes_.count() == 1;
  const Index rows = matrix_->rows();
  if (!one_class)
    for (Index r = 0; r < rows; ++r) std::fill_n(weight_.data() + r * stride_, stride_, weight[r]);
  double* const products = one_class ? activity : step_.data();
  take_row_step({in_half_lanes(rows * stride_), rows, step_.blocks() * lanes, tau, gram_.data(),
                 weight.data(), one_class ? weight.data() : weight_.data(), u_rate_.data(), v_rate_.data(),
                 x_of_u_.data(), x_of_v_.data(), from_samples_.data(), u_rows_.data(), v_rows_.data(),
                 u_pull_.data(), v_pull_.data(), x_pull_.data(), products});
  if (one_class) return;
  for (Index r = 0; r < rows; ++r) {
    double sum = 0;
    for (Index c = 0; c < stride_; ++c) sum += products[r * stride_ + c];
    activity[r] = sum;
  }
}

}  // namespace bridle
