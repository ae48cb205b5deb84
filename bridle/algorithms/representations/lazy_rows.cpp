#include "bridle/algorithms/representations/lazy_rows.hpp"

#include "bridle/algorithms/representations/half_lanes.hpp"

namespace bridle {
namespace {

struct RowStep {
  Index rows;
  Index row_stride;   // numbers of a row: its classes in whole halves of lanes, or 1
  Index gram_stride;  // from one column of the Gram matrix to the next
  double tau;
  const double *gram, *weight, *u_rate, *v_rate, *x_of_u, *x_of_v;
  double *from_samples, *u_rows, *v_rows, *u_pull, *v_pull, *x_pull, *activity;
};

// What the two pairs of modes have in common
struct Shared {
  HalfPack u_kept, v_kept, x_of_u, x_of_v;
};
[[gnu::always_inline]] inline void load_shared(const RowStep& s, Index k, Shared& out) {
  HalfPack rate;
  load(rate, s.u_rate + k);
  out.u_kept = 1 - s.tau * rate;
  load(rate, s.v_rate + k);
  out.v_kept = 1 - s.tau * rate;
  load(out.x_of_u, s.x_of_u + k), load(out.x_of_v, s.x_of_v + k);
}
// a <- kept a - moved, b likewise; seen <- a and b as x sees them
[[gnu::always_inline]] inline void move_modes(const Shared& s, const HalfPack& moved, double* a, double* b,
                                              HalfPack& seen) {
  HalfPack u, v;
  load(u, a), load(v, b);
  u = s.u_kept * u - moved;
  v = s.v_kept * v - moved;
  store(a, u), store(b, v);
  seen = s.x_of_u * u + s.x_of_v * v;
}
// tau times the direction's products with the rows, at k
[[gnu::always_inline]] inline void find_moved(const RowStep& s, Index k, HalfPack& moved) {
  HalfPack column;
  const HalfPack zero{};
  load(moved, s.from_samples + k);
  store(s.from_samples + k, zero);
  for (Index r = 0; r < s.rows; ++r) {
    load(column, s.gram + r * s.gram_stride + k);
    moved += s.weight[r] * column;
  }
  moved *= s.tau;
}

// Rows side by side, one class
BRIDLE_DISPATCH void take_row_step(const RowStep& s) {
  HalfPack moved, seen;
  Shared shared;
  for (Index k = 0; k < s.rows; k += half_lanes) {
    load_shared(s, k, shared);
    find_moved(s, k, moved);
    move_modes(shared, moved, s.u_rows + k, s.v_rows + k, seen);
    store(s.activity + k, seen);
    load(moved, s.weight + k);
    moved *= s.tau;
    move_modes(shared, moved, s.u_pull + k, s.v_pull + k, seen);
    store(s.x_pull + k, seen);
  }
}

// Classes side by side, row after row
BRIDLE_DISPATCH void take_class_step(const RowStep& s) {
  HalfPack moved, seen, sum;
  Shared shared;
  for (Index r = 0; r < s.rows; ++r) {
    sum = HalfPack{};
    for (Index k = r * s.row_stride; k < (r + 1) * s.row_stride; k += half_lanes) {
      load_shared(s, k, shared);
      find_moved(s, k, moved);
      move_modes(shared, moved, s.u_rows + k, s.v_rows + k, seen);
      sum += seen;
      moved = HalfPack{} + s.tau * s.weight[r];
      move_modes(shared, moved, s.u_pull + k, s.v_pull + k, seen);
      store(s.x_pull + k, seen);
    }
    s.activity[r] = sum_of(sum);
  }
}

}  // namespace

LazyRows::LazyRows(std::shared_ptr<const SparseRows> matrix, const ModeClasses& classes)
    : matrix_(std::move(matrix)), classes_(classes), stride_(classes.numbers_of_a_row()) {
  const Index rows = matrix_->rows(), size = rows * stride_;
  for (LaneVector* numbers : {&u_rate_, &v_rate_, &x_of_u_, &x_of_v_, &u_pull_, &v_pull_, &x_pull_, &u_rows_,
                              &v_rows_, &from_samples_})
    *numbers = LaneVector(size);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < classes.count(); ++c) {
      const Modes& modes = classes.modes[static_cast<std::size_t>(c)];
      u_rate_[place(r, c)] = modes.u_rate;
      v_rate_[place(r, c)] = modes.v_rate;
      x_of_u_[place(r, c)] = modes.x_of_u;
      x_of_v_[place(r, c)] = modes.x_of_v;
    }
  const Index column_room = u_rows_.blocks() * lanes;
  gram_ = LaneVector(column_room * rows);
  Vector column(matrix_->cols());
  for (Index s = 0; s < rows; ++s) {
    column.setZero();
    for (SparseRows::InnerIterator it(*matrix_, s); it; ++it) column[it.col()] = it.value();
    const LaneVector products = by_class(column);
    std::copy_n(products.data(), size, gram_.data() + s * column_room);
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
  const double *const values = of_sample.values, *const pulls = pull.data();
  if (stride_ > 1) return dot_product(of_sample.count, values, pulls);
  double even = 0, odd = 0;
  Index r = 0;
  for (; r + 1 < of_sample.count; r += 2) {
    even += values[r] * pulls[r];
    odd += values[r + 1] * pulls[r + 1];
  }
  if (r < of_sample.count) even += values[r] * pulls[r];
  return even + odd;
}

void LazyRows::add(double slope, const PackedSamples::RowShares& of_sample, LaneVector& to) const {
  // As packs: read back as such, numbers that were written one by one are waited for.
  if (stride_ > 1) return add_multiple(of_sample.count, slope, of_sample.values, to.data());
  for (Index r = 0; r < of_sample.count; ++r) to[r] += slope * of_sample.values[r];
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

void LazyRows::move_all(double tau, const LaneVector& weight, double* activity) {
  const RowStep step{matrix_->rows(), stride_,        u_rows_.blocks() * lanes, tau,
                     gram_.data(),    weight.data(),  u_rate_.data(),           v_rate_.data(),
                     x_of_u_.data(),  x_of_v_.data(), from_samples_.data(),     u_rows_.data(),
                     v_rows_.data(),  u_pull_.data(), v_pull_.data(),           x_pull_.data(),
                     activity};
  if (classes_.count() == 1)
    take_row_step(step);
  else
    take_class_step(step);
}

}  // namespace bridle
