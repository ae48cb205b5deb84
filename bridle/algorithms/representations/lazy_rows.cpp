#include "bridle/algorithms/representations/lazy_rows.hpp"

namespace bridle {
namespace {

struct RowStep {
  Index blocks;
  const double* weight;
  double *from_samples, *step, *u_rows, *v_rows, *u_pull, *v_pull, *x_pull, *activity;
};

// a <- kept a - moved, b likewise; out <- a and b as x sees them
[[gnu::always_inline]] inline void move_modes(const Modes& modes, double tau, const Pack& moved, double* a,
                                              double* b, double* out) {
  Pack u, v;
  load(u, a), load(v, b);
  u = (1 - tau * modes.u_rate) * u - moved;
  v = (1 - tau * modes.v_rate) * v - moved;
  store(a, u), store(b, v);
  u = modes.x_of_u * u + modes.x_of_v * v;
  store(out, u);
}

BRIDLE_DISPATCH void take_row_step(const RowStep& s, const SmallMatrix& gram, const Modes& modes,
                                   double tau) {
  gram.multiply_inline(s.weight, s.step, s.blocks * lanes);
  Pack moved, other;
  for (Index k = 0; k < s.blocks * lanes; k += lanes) {
    load(moved, s.step + k), load(other, s.from_samples + k);
    moved = tau * (moved + other);
    move_modes(modes, tau, moved, s.u_rows + k, s.v_rows + k, s.activity + k);
    load(moved, s.weight + k);
    moved *= tau;
    move_modes(modes, tau, moved, s.u_pull + k, s.v_pull + k, s.x_pull + k);
    other = Pack{};
    store(s.from_samples + k, other);
  }
}

SmallMatrix gram_of(const SparseRows& matrix) {
  Matrix out(matrix.rows(), matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j <= i; ++j) out(i, j) = out(j, i) = matrix.row(i).dot(matrix.row(j));
  return SmallMatrix(out);
}

BRIDLE_DISPATCH void add_scaled(Index size, double factor, const double* from, double* to) {
  for (Index r = 0; r < size; ++r) to[r] += factor * from[r];
}

}  // namespace

LazyRows::LazyRows(const SparseRows& matrix, const Modes& modes)
    : modes_(modes),
      gram_(gram_of(matrix)),
      u_pull_(matrix.rows()),
      v_pull_(matrix.rows()),
      x_pull_(matrix.rows()),
      u_rows_(matrix.rows()),
      v_rows_(matrix.rows()),
      from_samples_(matrix.rows()),
      step_(matrix.rows()) {}

void LazyRows::start(const Vector& x_rows, const Vector& z_rows, double* activity) {
  for (LaneVector* pull : {&u_pull_, &v_pull_, &x_pull_}) pull->values().setZero();
  u_rows_.values() = x_rows + modes_.u_of_z * z_rows;
  v_rows_.values() = x_rows + modes_.v_of_z * z_rows;
  for (Index r = 0; r < x_rows.size(); ++r)
    activity[r] = modes_.x_of_u * u_rows_[r] + modes_.x_of_v * v_rows_[r];
}

double row_product(const double* sample_rows, const LaneVector& x_pull) {
  double even = 0, odd = 0;
  Index r = 0;
  for (; r + 1 < x_pull.size(); r += 2) {
    even += sample_rows[r] * x_pull[r];
    odd += sample_rows[r + 1] * x_pull[r + 1];
  }
  if (r < x_pull.size()) even += sample_rows[r] * x_pull[r];
  return even + odd;
}

void LazyRows::shares(const SparseRows& matrix, VectorRef x, VectorRef z) const {
  x = matrix.transpose() * x_pull_.values();
  z = matrix.transpose() * (modes_.z_of_u() * u_pull_.values() + modes_.z_of_v() * v_pull_.values());
}

void LazyRows::add_sample(double slope, const double* sample_rows) {
  add_scaled(from_samples_.size(), slope, sample_rows, from_samples_.data());
}

void LazyRows::move(double tau, const LaneVector& weight, double* activity) {
  take_row_step({weight.blocks(), weight.data(), from_samples_.data(), step_.data(), u_rows_.data(),
                 v_rows_.data(), u_pull_.data(), v_pull_.data(), x_pull_.data(), activity},
                gram_, modes_, tau);
}

}  // namespace bridle
