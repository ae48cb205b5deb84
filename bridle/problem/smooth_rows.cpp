#include "bridle/problem/smooth_rows.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {

bool SmoothPoint::finite() const {
  return value.allFinite() && Eigen::Map<const Vector>(jacobian.valuePtr(), jacobian.nonZeros()).allFinite();
}

// Central differences: the error is least where the step is the cube root of the rounding.
void AnySmoothConstraint::Interface::add_differences(const Vector& x, const Vector& y, Matrix& out) const {
  constexpr double step_share = 6e-6;
  Matrix own(x.size(), x.size());
  Vector there = x;
  for (Index j = 0; j < x.size(); ++j) {
    const double step = step_share * std::max(1.0, std::abs(x[j]));
    there[j] = x[j] + step;
    const Vector after = at(there).jacobian.transpose() * y;
    const double ahead = there[j];
    there[j] = x[j] - step;
    const Vector before = at(there).jacobian.transpose() * y;
    own.col(j) = (after - before) / (ahead - there[j]);
    there[j] = x[j];
  }
  out += 0.5 * (own + own.transpose());
}

Vector SmoothRows::value(const Vector& x) const {
  Vector out(count());
  Index begin = 0;
  for (const auto& block : blocks) {
    out.segment(begin, block.count()) = block.value(x);
    begin += block.count();
  }
  return out;
}

SmoothPoint SmoothRows::at(const Vector& x) const {
  SmoothPoint out{Vector(count()), SparseRows(count(), x.size())};
  Index begin = 0;
  for (const auto& block : blocks) {
    const SmoothPoint part = block.at(x);
    out.value.segment(begin, block.count()) = part.value;
    for (Index i = 0; i < block.count(); ++i) {
      out.jacobian.startVec(begin + i);
      for (SparseRows::InnerIterator it(part.jacobian, i); it; ++it)
        out.jacobian.insertBack(begin + i, it.col()) = it.value();
    }
    begin += block.count();
  }
  out.jacobian.finalize();
  return out;
}

bool SmoothRows::has_hessian() const {
  return std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.has_hessian(); });
}

void SmoothRows::add_hessian(const Vector& x, const Vector& y, Matrix& out) const {
  Index begin = 0;
  for (const auto& block : blocks) {
    const Vector own = y.segment(begin, block.count());
    if (!own.isZero(0)) block.add_hessian(x, own, out);
    begin += block.count();
  }
}

SparseRows stacked(const SparseRows& above, const SparseRows& below) {
  SparseRows out(above.rows() + below.rows(), above.cols());
  out.reserve(above.nonZeros() + below.nonZeros());
  for (const SparseRows* part : {&above, &below})
    for (Index i = 0; i < part->rows(); ++i) {
      const Index row = part == &below ? above.rows() + i : i;
      out.startVec(row);
      for (SparseRows::InnerIterator it(*part, i); it; ++it)
        if (it.value() != 0) out.insertBack(row, it.col()) = it.value();
    }
  out.finalize();
  return out;
}

}  // namespace bridle
