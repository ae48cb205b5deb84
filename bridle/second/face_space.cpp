#include "bridle/second/face_space.hpp"

namespace bridle::second {

FaceSpace::FaceSpace(const Region& region, const Face& face, const Vector& metric, double held_share)
    : all_rows_(region.count()), weight_(metric.cwiseInverse()) {
  for (Index j = 0; j < weight_.size(); ++j)
    if (face.variables[static_cast<std::size_t>(j)] != inside || region.fixed(j)) weight_[j] *= held_share;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < region.count(); ++i) {
    if (face.rows[static_cast<std::size_t>(i)] == inside) continue;
    const auto row = static_cast<Index>(held_.size());
    bool any = false;
    for (SparseRows::InnerIterator it(region.rows, i); it; ++it)
      if (weight_[it.col()] > 0) {
        entries.emplace_back(row, it.col(), it.value());
        any = true;
      }
    if (any) held_.push_back(i);
  }
  const auto count = static_cast<Index>(held_.size());
  rows_.resize(count, weight_.size());
  rows_.setFromTriplets(entries.begin(), entries.end());
  if (count == 0) return;
  SparseColumns normal = rows_ * weight_.asDiagonal() * SparseRows(rows_.transpose());
  for (Index k = 0; k < count; ++k) normal.coeffRef(k, k) = normal.coeff(k, k) * (1 + 1e-12) + 1e-300;
  factor_ = std::make_shared<Eigen::SimplicialLDLT<SparseColumns>>(normal);
}

Vector FaceSpace::solve(const Vector& right) const {
  Vector y = factor_->solve(right);  // the diagonal is a little raised: refined once
  y += factor_->solve(right - rows_ * weight_.cwiseProduct(rows_.transpose() * y));
  return y;
}

Vector FaceSpace::step(const Vector& v) const {
  Vector out = weight_.cwiseProduct(v);
  if (held_.empty()) return out;
  return out - weight_.cwiseProduct(rows_.transpose() * solve(rows_ * out));
}

Vector FaceSpace::along(const Vector& v) const {
  Vector out = (weight_.array() > 0).select(v, 0.0);
  if (!held_.empty()) out -= rows_.transpose() * solve(rows_ * weight_.cwiseProduct(v));
  return out;
}

Vector FaceSpace::multipliers(const Vector& v) const {
  Vector out = Vector::Zero(all_rows_);
  if (held_.empty()) return out;
  const Vector y = solve(rows_ * weight_.cwiseProduct(v));
  for (std::size_t k = 0; k < held_.size(); ++k) out[held_[k]] = -y[static_cast<Index>(k)];
  return out;
}

Vector FaceSpace::dual_step(const Vector& off) const {
  Vector out = Vector::Zero(all_rows_);
  if (held_.empty()) return out;
  const Vector y = solve(off(held_));
  for (std::size_t k = 0; k < held_.size(); ++k) out[held_[k]] = y[static_cast<Index>(k)];
  return out;
}

}  // namespace bridle::second
