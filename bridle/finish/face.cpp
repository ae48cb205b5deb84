#include "bridle/finish/face.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>

namespace bridle {

// One linear system, refined. A row whose slack (a variable without curvature, with one entry) is inside its
// bounds takes no part: its multiplier is 0 and its slack follows.
bool solve_on_face(const DiagonalQp& qp, const std::vector<Side>& side, Vector& w, Vector& y) {
  using enum Side;
  const Index size = qp.linear.size();
  Vector theta = Vector::Zero(size), held = Vector::Zero(size);
  std::vector<Index> slack_of(static_cast<std::size_t>(qp.right.size()), -1);  // of rows that take no part
  for (Index j = 0; j < size; ++j) {
    if (side[static_cast<std::size_t>(j)] == at_lower)
      held[j] = qp.lower[j];
    else if (side[static_cast<std::size_t>(j)] == at_upper)
      held[j] = qp.upper[j];
    else if (qp.hessian[j] > 0)
      theta[j] = 1 / qp.hessian[j];
    else
      slack_of[static_cast<std::size_t>(SparseColumns::InnerIterator(qp.matrix, j).row())] = j;
  }
  std::vector<Index> place(slack_of.size(), -1);
  Index active = 0;
  for (std::size_t i = 0; i < slack_of.size(); ++i)
    if (slack_of[i] < 0) place[i] = active++;
  std::vector<Eigen::Triplet<double>> entries;
  Vector right(active);
  for (Index j = 0; j < size; ++j)
    for (SparseColumns::InnerIterator it(qp.matrix, j); it; ++it)
      if (const Index row = place[static_cast<std::size_t>(it.row())]; row >= 0)
        entries.emplace_back(row, j, it.value());
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] >= 0) right[place[i]] = qp.right[static_cast<Index>(i)];
  SparseColumns matrix(active, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const SparseColumns transposed = matrix.transpose();

  Vector prices = Vector::Zero(active);
  const auto point = [&] { return Vector(held + theta.cwiseProduct(-(qp.linear + transposed * prices))); };
  w = point();
  if (active > 0) {
    SparseColumns normal = matrix * theta.asDiagonal() * transposed;
    SparseColumns identity(active, active);
    identity.setIdentity();
    normal += 1e-12 * identity;
    const Eigen::SimplicialLDLT<SparseColumns> factor(normal);
    if (factor.info() != Eigen::Success) return false;
    for (int k = 0; k < 8; ++k) {
      const Vector broken = matrix * w - right;
      if (broken.norm() <= 1e-15 * (1 + right.norm())) break;
      prices += factor.solve(broken);
      w = point();
    }
  }
  if (!w.allFinite()) return false;
  y = Vector::Zero(qp.right.size());
  const Vector activity = qp.matrix * w - qp.right;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (place[i] >= 0)
      y[row] = prices[place[i]];
    else  // activity + entry * slack = 0; the slack was 0 so far
      w[slack_of[i]] = -activity[row] / SparseColumns::InnerIterator(qp.matrix, slack_of[i]).value();
  }
  return true;
}

bool settle_on_face(const DiagonalQp& qp, std::vector<Side>& side, double slack, Vector& w, Vector& y) {
  using enum Side;
  constexpr int most_rounds = 20;
  for (int round = 0; round < most_rounds; ++round) {
    if (!solve_on_face(qp, side, w, y)) return false;
    const Vector slope = qp.hessian.cwiseProduct(w) + qp.linear + qp.matrix.transpose() * y;
    bool settled = y.size() == 0 || (qp.matrix * w - qp.right).lpNorm<Eigen::Infinity>() <= slack;
    if (!settled) return false;  // the face has no point: too much is held
    for (Index j = 0; j < w.size(); ++j) {
      if (qp.lower[j] == qp.upper[j]) continue;
      Side& where = side[static_cast<std::size_t>(j)];
      const Side before = where;
      if (where == inside)
        where = w[j] < qp.lower[j] - slack ? at_lower : w[j] > qp.upper[j] + slack ? at_upper : inside;
      else if ((where == at_lower ? -slope[j] : slope[j]) > slack)
        where = inside;
      settled = settled && where == before;
    }
    if (settled) return true;
  }
  return false;
}

std::vector<Side> at_rest(const DiagonalQp& qp, const std::vector<Side>& side, const Vector& w) {
  using enum Side;
  const double rounding = 1e-10 * (1 + w.lpNorm<Eigen::Infinity>());
  std::vector<Side> out = side;
  for (Index j = 0; j < w.size(); ++j) {
    Side& where = out[static_cast<std::size_t>(j)];
    if (where != inside || qp.hessian[j] == 0) continue;  // slacks follow their rows
    if (std::abs(w[j] - qp.lower[j]) <= rounding)
      where = at_lower;
    else if (std::abs(w[j] - qp.upper[j]) <= rounding)
      where = at_upper;
  }
  return out;
}

}  // namespace bridle
