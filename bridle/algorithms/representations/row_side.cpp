#include "bridle/algorithms/representations/row_side.hpp"

#include <algorithm>
#include <numeric>

#include "bridle/algorithms/representations/half_lanes.hpp"

namespace bridle {
namespace {

constexpr Index most_dense_rows = 64;

std::vector<Index> all_rows(const StandardForm& form) {
  std::vector<Index> out(static_cast<std::size_t>(form.rows()));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

// M as a matrix where the rows are few: q = M r is all that is ever needed of it.
Matrix matrix_of(const RowMetric& metric, Index rows) {
  if (rows > most_dense_rows) return Matrix();
  Matrix out = Matrix::Identity(rows, rows);
  Vector scratch(rows);
  for (Index i = 0; i < rows; ++i) metric.apply(out.col(i), scratch);
  return out;
}

LaneVector columns_of(const Matrix& metric) {
  LaneVector out(metric.cols() * in_half_lanes(metric.rows()));
  for (Index i = 0; i < metric.cols(); ++i)
    std::copy_n(metric.col(i).data(), metric.rows(), out.data() + i * in_half_lanes(metric.rows()));
  return out;
}

struct DualStep {
  Index count;  // in whole halves of lanes
  const double *activity, *right, *coefficient, *slack;
  double *raw, *residual, *y;
};

// raw <- A x - b
[[gnu::always_inline]] inline void find_residual(const DualStep& d) {
  HalfPack value, other, third;
  for (Index k = 0; k < d.count; k += half_lanes) {
    load(value, d.activity + k), load(other, d.right + k);
    value -= other;
    load(other, d.coefficient + k), load(third, d.slack + k);
    value -= other * third;
    store(d.raw + k, value);
  }
}
[[gnu::always_inline]] inline void move_multipliers(const DualStep& d, double eta) {
  HalfPack value, other;
  for (Index k = 0; k < d.count; k += half_lanes) {
    load(value, d.y + k), load(other, d.residual + k);
    value += eta * other;
    store(d.y + k, value);
  }
}

BRIDLE_DISPATCH void take_dual_step(const DualStep& d, const double* metric, Index rows, double eta) {
  find_residual(d);
  HalfPack sum, column;
  for (Index k = 0; k < d.count; k += half_lanes) {
    sum = HalfPack{};
    for (Index r = 0; r < rows; ++r) {
      load(column, metric + r * d.count + k);
      sum += d.raw[r] * column;
    }
    store(d.residual + k, sum);
  }
  move_multipliers(d, eta);
}
BRIDLE_DISPATCH void find_all_residuals(const DualStep& d) { find_residual(d); }
BRIDLE_DISPATCH void move_all_multipliers(const DualStep& d, double eta) { move_multipliers(d, eta); }

BRIDLE_DISPATCH void weigh(Index count, const double* y, const double* residual, double rho, double* out) {
  HalfPack value, other;
  for (Index k = 0; k < count; k += half_lanes) {
    load(value, y + k), load(other, residual + k);
    value += rho * other;
    store(out + k, value);
  }
}

struct SlackStep {
  Index count;
  const double *coefficient, *weight, *lower, *upper;
  double *slack, *anchor;
};

BRIDLE_DISPATCH void take_slack_step(const SlackStep& s, double tau, double mu, double beta) {
  HalfPack old, anchor, value, other;
  for (Index k = 0; k < s.count; k += half_lanes) {
    load(old, s.slack + k), load(anchor, s.anchor + k);
    const HalfPack apart = old - anchor;
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
    : RowSide(form, all_rows(form), matrix_of(form.metric(), form.rows())) {}

RowSide::RowSide(const StandardForm& form, const std::vector<Index>& rows, const Matrix& metric)
    : form_(&form), rows_(rows), metric_(columns_of(metric)), scratch_(static_cast<Index>(rows.size())) {
  for (LaneVector* numbers : {&activity_, &right_, &raw_, &residual_, &y_, &weight_, &coefficient_, &lower_,
                              &upper_, &slack_, &anchor_})
    *numbers = LaneVector(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) right_[static_cast<Index>(i)] = form.right()[rows[i]];
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k) {
    const auto found = std::lower_bound(rows.begin(), rows.end(), form.slack_rows()[k]);
    if (found == rows.end() || *found != form.slack_rows()[k]) continue;
    const Index place = found - rows.begin(), slack = static_cast<Index>(k);
    slacks_.push_back({place, form.variables() + slack});
    coefficient_[place] = form.slack_coefficient()[slack];
    lower_[place] = form.project_slack(slack, -infinity);
    upper_[place] = form.project_slack(slack, infinity);
  }
}

void RowSide::read_in(const Iterate& state) {
  for (std::size_t i = 0; i < rows_.size(); ++i) y_[static_cast<Index>(i)] = state.y[rows_[i]];
  for (const Slack& slack : slacks_) {
    slack_[slack.place] = state.x[slack.of];
    anchor_[slack.place] = state.z[slack.of];
  }
}

void RowSide::write_out(Iterate& state) const {
  state.y.resize(form_->rows());
  for (std::size_t i = 0; i < rows_.size(); ++i) state.y[rows_[i]] = y_[static_cast<Index>(i)];
  for (const Slack& slack : slacks_) {
    state.x[slack.of] = slack_[slack.place];
    state.z[slack.of] = anchor_[slack.place];
  }
}

void RowSide::dual_steps(double eta) {
  const DualStep step{in_half_lanes(y_.size()), activity_.data(), right_.data(),
                      coefficient_.data(),      slack_.data(),    raw_.data(),
                      residual_.data(),         y_.data()};
  if (y_.size() <= most_dense_rows) return take_dual_step(step, metric_.data(), y_.size(), eta);
  find_all_residuals(step);
  residual_.values() = raw_.values();
  form_->metric().apply(residual_.values(), scratch_);
  move_all_multipliers(step, eta);
}

void RowSide::set_weights(double rho) {
  weigh(in_half_lanes(y_.size()), y_.data(), residual_.data(), rho, weight_.data());
}

void RowSide::move_all_slacks(const Parameters& p) {
  take_slack_step({in_half_lanes(y_.size()), coefficient_.data(), weight_.data(), lower_.data(),
                   upper_.data(), slack_.data(), anchor_.data()},
                  p.tau, p.mu, p.beta);
}

}  // namespace bridle
