#include "bridle/algorithms/representations/block_variables.hpp"

#include "bridle/algorithms/representations/half_lanes.hpp"

namespace bridle {
namespace {

struct BlockStep {
  Index count;
  const double *ridge, *lower, *upper;
  double *direction, *x, *z;
};

BRIDLE_DISPATCH void take_block_step(const BlockStep& s, double tau, double mu, double beta) {
  HalfPack x, z, value, other;
  const HalfPack zero{};
  for (Index k = 0; k < s.count; k += half_lanes) {
    load(x, s.x + k), load(z, s.z + k);
    const HalfPack apart = x - z;
    load(value, s.direction + k), load(other, s.ridge + k);
    store(s.direction + k, zero);
    value = x - tau * (value + other * x + mu * apart);
    load(other, s.lower + k);
    value = value < other ? other : value;
    load(other, s.upper + k);
    value = value > other ? other : value;
    z += beta * apart;
    store(s.x + k, value), store(s.z + k, z);
  }
}

}  // namespace

BlockVariables::BlockVariables(const StandardForm& form, const ModeClasses& classes, const Bounds& bounds,
                               const Split& split)
    : variables_(split.block) {
  const auto count = static_cast<Index>(variables_.size());
  for (LaneVector* numbers : {&x_, &z_, &direction_, &ridge_, &lower_, &upper_}) *numbers = LaneVector(count);
  for (Index k = 0; k < count; ++k) {
    const Index j = variables_[static_cast<std::size_t>(k)];
    ridge_[k] = classes.ridge_of(j);
    lower_[k] = bounds.lower[j];
    upper_[k] = bounds.upper[j];
  }
  for (Index i = 0; i < form.rows(); ++i) {
    const auto begin = static_cast<Index>(values_.size());
    for (SparseRows::InnerIterator it(form.matrix(), i); it; ++it)
      if (const Index k = split.place_of(it.col()); k >= 0) {
        places_.push_back(static_cast<std::int32_t>(k));
        values_.push_back(it.value());
      }
    const auto end = static_cast<Index>(values_.size());
    if (end - begin <= count / 4 || end - begin <= 4) {
      if (end > begin) short_rows_.push_back({i, begin, end});
      continue;
    }
    LaneVector row(count);
    for (Index e = begin; e < end; ++e)
      row[places_[static_cast<std::size_t>(e)]] = values_[static_cast<std::size_t>(e)];
    long_rows_.push_back(i);
    long_values_.push_back(std::move(row));
    places_.resize(static_cast<std::size_t>(begin));
    values_.resize(static_cast<std::size_t>(begin));
  }
}

void BlockVariables::read_in(const Iterate& from) {
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    x_[static_cast<Index>(k)] = from.x[variables_[k]];
    z_[static_cast<Index>(k)] = from.z[variables_[k]];
  }
}

void BlockVariables::write_out(Iterate& to) const {
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    to.x[variables_[k]] = x_[static_cast<Index>(k)];
    to.z[variables_[k]] = z_[static_cast<Index>(k)];
  }
}

void BlockVariables::move(const Parameters& p, const LaneVector& weight) {
  const double* const weights = weight.data();
  double* const direction = direction_.data();
  const Index count = x_.blocks() * lanes;
  for (const ShortRow& row : short_rows_)
    for (Index e = row.begin; e < row.end; ++e)
      direction[places_[static_cast<std::size_t>(e)]] +=
          weights[row.row] * values_[static_cast<std::size_t>(e)];
  for (std::size_t k = 0; k < long_rows_.size(); ++k)
    add_multiple(count, weights[long_rows_[k]], long_values_[k].data(), direction);
  take_block_step({count, ridge_.data(), lower_.data(), upper_.data(), direction, x_.data(), z_.data()},
                  p.tau, p.mu, p.beta);
}

void BlockVariables::add_activity(double* out) const {
  const double* const x = x_.data();
  for (const ShortRow& row : short_rows_) {
    double sum = 0;
    for (Index e = row.begin; e < row.end; ++e)
      sum += values_[static_cast<std::size_t>(e)] * x[places_[static_cast<std::size_t>(e)]];
    out[row.row] += sum;
  }
  for (std::size_t k = 0; k < long_rows_.size(); ++k)
    out[long_rows_[k]] += dot_product(x_.blocks() * lanes, long_values_[k].data(), x);
}

}  // namespace bridle
