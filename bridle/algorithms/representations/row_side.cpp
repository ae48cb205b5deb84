#include "bridle/algorithms/representations/row_side.hpp"

namespace bridle {
namespace {

// M as a matrix: q = M r is all that is ever needed of it, and the rows are few.
SmallMatrix matrix_of(const RowMetric& metric, Index rows) {
  Matrix out = Matrix::Identity(rows, rows);
  Vector scratch(rows);
  for (Index i = 0; i < rows; ++i) metric.apply(out.col(i), scratch);
  return SmallMatrix(out);
}

struct DualStep {
  Index blocks;
  const double *activity, *right, *coefficient, *slack;
  double *raw, *residual, *y;
};

BRIDLE_DISPATCH void take_dual_step(const DualStep& d, const SmallMatrix& metric, double eta) {
  Pack value, other, third;
  for (Index k = 0; k < d.blocks * lanes; k += lanes) {
    load(value, d.activity + k), load(other, d.right + k);
    value -= other;
    load(other, d.coefficient + k), load(third, d.slack + k);
    value -= other * third;
    store(d.raw + k, value);
  }
  metric.multiply_inline(d.raw, d.residual, d.blocks * lanes);
  for (Index k = 0; k < d.blocks * lanes; k += lanes) {
    load(value, d.y + k), load(other, d.residual + k);
    value += eta * other;
    store(d.y + k, value);
  }
}

BRIDLE_DISPATCH void weigh(Index blocks, const double* y, const double* residual, double rho, double* out) {
  Pack value, other;
  for (Index k = 0; k < blocks * lanes; k += lanes) {
    load(value, y + k), load(other, residual + k);
    value += rho * other;
    store(out + k, value);
  }
}

struct SlackStep {
  Index blocks;
  const double *coefficient, *weight, *lower, *upper;
  double *slack, *anchor;
};

BRIDLE_DISPATCH void take_slack_step(const SlackStep& s, double tau, double mu, double beta) {
  Pack old, anchor, value, other;
  for (Index k = 0; k < s.blocks * lanes; k += lanes) {
    load(old, s.slack + k), load(anchor, s.anchor + k);
    const Pack apart = old - anchor;
    load(value, s.coefficient + k), load(other, s.weight + k);
    value = old - tau * (mu * apart - value * other);
    load(other, s.lower + k);
    value = value < other ? other : value;
    load(other, s.upper + k);
    value = value > other ? other : value;
    anchor += beta * apart;
    store(s.slack + k, value), store(s.anchor + k, anchor);
  }
}

}  // namespace

RowSide::RowSide(const StandardForm& form)
    : form_(form),
      metric_(matrix_of(form.metric(), form.rows())),
      activity_(form.rows()),
      right_(form.right()),
      raw_(form.rows()),
      residual_(form.rows()),
      y_(form.rows()),
      weight_(form.rows()),
      coefficient_(form.rows()),
      lower_(form.rows()),
      upper_(form.rows()),
      slack_(form.rows()),
      anchor_(form.rows()) {
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k) {
    const Index row = form.slack_rows()[k], slack = static_cast<Index>(k);
    coefficient_[row] = form.slack_coefficient()[slack];
    lower_[row] = form.project_slack(slack, -infinity);
    upper_[row] = form.project_slack(slack, infinity);
  }
}

void RowSide::read_in(const Iterate& state) {
  y_.values() = state.y;
  for (std::size_t k = 0; k < form_.slack_rows().size(); ++k) {
    const Index row = form_.slack_rows()[k], at = form_.variables() + static_cast<Index>(k);
    slack_[row] = state.x[at];
    anchor_[row] = state.z[at];
  }
}

void RowSide::write_out(Iterate& state) const {
  state.y = y_.values();
  for (std::size_t k = 0; k < form_.slack_rows().size(); ++k) {
    const Index row = form_.slack_rows()[k], at = form_.variables() + static_cast<Index>(k);
    state.x[at] = slack_[row];
    state.z[at] = anchor_[row];
  }
}

void RowSide::dual_step(double eta) {
  take_dual_step({y_.blocks(), activity_.data(), right_.data(), coefficient_.data(), slack_.data(),
                  raw_.data(), residual_.data(), y_.data()},
                 metric_, eta);
}

void RowSide::set_weight(double rho) { weigh(y_.blocks(), y_.data(), residual_.data(), rho, weight_.data()); }

void RowSide::move_slacks(const Parameters& p) {
  take_slack_step({y_.blocks(), coefficient_.data(), weight_.data(), lower_.data(), upper_.data(),
                   slack_.data(), anchor_.data()},
                  p.tau, p.mu, p.beta);
}

}  // namespace bridle
