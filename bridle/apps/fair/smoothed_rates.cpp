#include "bridle/apps/fair/smoothed_rates.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

namespace bridle {
namespace {

constexpr double same = 1e-4;        // deviation of scores below which they count as the same
constexpr double negligible = 1e-5;  // derivative of a sigmoid, over its largest, that is taken as 0

// The same for second derivatives, which steer steps but judge nothing.
constexpr double negligible_bend = 1e-3;

double sigmoid(double t) {
  const double e = std::exp(-std::abs(t));
  return (t > 0 ? 1 : e) / (1 + e);
}

}  // namespace

Slopes slopes_of(const Cells& cells, const Vector& scores, double width) {
  const auto count = static_cast<Index>(cells.size());
  Vector sum = Vector::Zero(count), squares = Vector::Zero(count);
  for (std::size_t a = 0; a < cells.attributes(); ++a) {
    const auto& of = cells.of(a);
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] >= 0) sum[of[i]] += scores[static_cast<Index>(i)];
  }
  for (Index c = 0; c < count; ++c) sum[c] /= static_cast<double>(cells[static_cast<std::size_t>(c)].people);
  for (std::size_t a = 0; a < cells.attributes(); ++a) {
    const auto& of = cells.of(a);
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] >= 0) squares[of[i]] += std::pow(scores[static_cast<Index>(i)] - sum[of[i]], 2);
  }
  Slopes out(count);
  for (Index c = 0; c < count; ++c) {
    const auto people = static_cast<double>(cells[static_cast<std::size_t>(c)].people);
    const double deviation = std::sqrt(squares[c] / people);
    out[c] = deviation > same ? width * std::pow(people, 0.2) / deviation : 1;
  }
  return out;
}

Vector smoothed_rates(const Cells& cells, const Slopes& slopes, const Vector& scores) {
  Vector out = Vector::Zero(static_cast<Index>(cells.size()));
  for (std::size_t a = 0; a < cells.attributes(); ++a) {
    const auto& of = cells.of(a);
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] >= 0) out[of[i]] += sigmoid(slopes[of[i]] * scores[static_cast<Index>(i)]);
  }
  return rates_of(cells, out);
}

Vector values_of(const std::vector<RateRow>& rows, const Vector& rates) {
  Vector out(static_cast<Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) out[static_cast<Index>(r)] = rows[r].value(rates);
  return out;
}

SmoothedRows smoothed_rows(const Cells& cells, const std::vector<RateRow>& rows, const Slopes& slopes,
                           const Scorer& scorer, const Vector& w, const Vector& scores) {
  const auto count = static_cast<Index>(cells.size());
  Vector sums = Vector::Zero(count);
  // What each person's score adds to the rate of their cell; one column per attribute.
  Matrix slope_of(scores.size(), static_cast<Index>(cells.attributes()));
  slope_of.setZero();
  for (std::size_t a = 0; a < cells.attributes(); ++a) {
    const auto& of = cells.of(a);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const Index cell = of[i];
      if (cell < 0) continue;
      const auto person = static_cast<Index>(i);
      const double slope = slopes[cell];
      const double part = sigmoid(slope * scores[person]), derivative = part * (1 - part);
      sums[cell] += part;
      if (derivative > negligible)
        slope_of(person, static_cast<Index>(a)) =
            slope / static_cast<double>(cells[static_cast<std::size_t>(cell)].people) * derivative;
    }
  }
  SmoothedRows out{values_of(rows, rates_of(cells, sums)),
                   Matrix(static_cast<Index>(rows.size()), scorer.weights())};
  Vector factors(scores.size()), gradient;
  const auto pull = [&](std::initializer_list<std::pair<std::size_t, double>> of_cells) {
    factors.setZero();
    for (const auto& [cell, factor] : of_cells) {
      const auto& of = cells.of(cells[cell].attribute);
      const auto column = static_cast<Index>(cells[cell].attribute);
      for (std::size_t i = 0; i < of.size(); ++i)
        if (of[i] == static_cast<std::int32_t>(cell))
          factors[static_cast<Index>(i)] += factor * slope_of(static_cast<Index>(i), column);
    }
    scorer.pull_back(w, factors, gradient);
  };
  // A pass for every row, or for every cell, whichever are fewer.
  if (rows.size() < cells.size()) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      pull({{rows[r].first, rows[r].first_factor}, {rows[r].second, -rows[r].second_factor}});
      out.jacobian.row(static_cast<Index>(r)) = gradient.transpose();
    }
    return out;
  }
  Matrix gradients(scorer.weights(), count);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    pull({{c, 1.0}});
    gradients.col(static_cast<Index>(c)) = gradient;
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    out.jacobian.row(static_cast<Index>(r)) =
        rows[r].first_factor * gradients.col(static_cast<Index>(rows[r].first)).transpose() -
        rows[r].second_factor * gradients.col(static_cast<Index>(rows[r].second)).transpose();
  return out;
}

void SmoothedRateRows::value(ConstVectorRef w, VectorRef out) const {
  out = values_of(rows_, smoothed_rates(cells_, slopes_, scorer_.scores(w))) - offset_;
}

void SmoothedRateRows::jacobian(ConstVectorRef w, Matrix& out) const {
  out = smoothed_rows(cells_, rows_, slopes_, scorer_, w, scorer_.scores(w)).jacobian;
}

void SmoothedRateRows::value_and_jacobian(ConstVectorRef w, VectorRef value, Matrix& jacobian) const {
  SmoothedRows both = smoothed_rows(cells_, rows_, slopes_, scorer_, w, scorer_.scores(w));
  value = both.values - offset_;
  jacobian = std::move(both.jacobian);
}

void SmoothedRateRows::hessian(ConstVectorRef w, ConstVectorRef multipliers, Matrix& out) const {
  Vector price = Vector::Zero(static_cast<Index>(cells_.size()));  // of a person's smoothed decision, by cell
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const RateRow& row = rows_[r];
    const double y = multipliers[static_cast<Index>(r)];
    price[static_cast<Index>(row.first)] +=
        y * row.first_factor / static_cast<double>(cells_[row.first].people);
    price[static_cast<Index>(row.second)] -=
        y * row.second_factor / static_cast<double>(cells_[row.second].people);
  }
  const Vector scores = scorer_.scores(w);
  Vector factors = Vector::Zero(scores.size()), bends = Vector::Zero(scores.size());
  for (std::size_t a = 0; a < cells_.attributes(); ++a) {
    const auto& of = cells_.of(a);
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i] < 0 || price[of[i]] == 0) continue;
      const auto person = static_cast<Index>(i);
      const double slope = slopes_[of[i]], part = sigmoid(slope * scores[person]);
      if (part * (1 - part) < negligible_bend) continue;
      const double derivative = price[of[i]] * slope * part * (1 - part);
      factors[person] += derivative;
      bends[person] += derivative * slope * (1 - 2 * part);
    }
  }
  scorer_.second_derivatives(w, factors, bends, out);
}

Vector SmoothedRateRows::lower() const {
  Vector out(count());
  for (std::size_t r = 0; r < rows_.size(); ++r) out[static_cast<Index>(r)] = rows_[r].lower;
  return out;
}

Vector SmoothedRateRows::upper() const {
  Vector out(count());
  for (std::size_t r = 0; r < rows_.size(); ++r) out[static_cast<Index>(r)] = rows_[r].upper;
  return out;
}

}  // namespace bridle
