#include "bridle/second/elastic_qp.hpp"

#include <algorithm>
#include <cmath>

namespace bridle::second {
namespace {

constexpr int elastic_rounds = 20, elastic_rounds_after = 12;
constexpr double elastic_curvature = 1e-4;  // of the largest curvature: p and q stay apart from one another

// Solved on the face that is guessed, or else from inside, and then on the face that this suggests.
QpEnd solve_program(const DenseQp& qp, Face& face, QpPoint& point, Work& work) {
  Face guess = face;
  QpPoint first;
  const QpEnd end = solve_on_faces(qp, elastic_rounds, guess, first, work);
  if (end == QpEnd::solved || end == QpEnd::stopped) {
    face = std::move(guess);
    point = std::move(first);
    return end;
  }
  QpPoint inner;
  guess = face;
  const QpEnd inner_end = solve_inside(qp, guess, inner, work);
  if (inner_end != QpEnd::solved) return inner_end;
  Face refined = guess;
  QpPoint refined_point = inner;
  const bool sharp = solve_on_faces(qp, elastic_rounds_after, refined, refined_point, work) == QpEnd::solved;
  face = sharp ? std::move(refined) : std::move(guess);
  point = sharp ? std::move(refined_point) : std::move(inner);
  return QpEnd::solved;
}

}  // namespace

bool ElasticQp::solve(const SmoothLocal& at, const Vector& activity, const Vector& gradient,
                      const Matrix& curvature, const Vector& sigma, double radius, Work& work,
                      ElasticStep& out) {
  const Index n = model_.dimension(), m = model_.count();
  // An elastic variable for each finite bound of a row, in the units of rows of length 1.
  struct Elastic {
    Index row;
    double sign;  // 1: p, -1: q
  };
  std::vector<Elastic> elastic;
  for (Index i = 0; i < m; ++i) {
    if (is_finite(model_.lower()[i])) elastic.push_back({i, 1});
    if (is_finite(model_.upper()[i])) elastic.push_back({i, -1});
  }
  const Index size = n + static_cast<Index>(elastic.size());

  SparseRows scaled = at.jacobian * unit_.asDiagonal();
  Vector row_unit = Vector::Ones(m);
  for (Index i = 0; i < m; ++i)
    if (const double length = std::sqrt(scaled.row(i).squaredNorm()); length > 0) row_unit[i] = 1 / length;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < m; ++i)
    for (SparseRows::InnerIterator it(scaled, i); it; ++it)
      if (it.value() != 0) entries.emplace_back(i, it.col(), it.value() * row_unit[i]);
  for (std::size_t k = 0; k < elastic.size(); ++k)
    entries.emplace_back(elastic[k].row, n + static_cast<Index>(k), elastic[k].sign);
  SparseRows rows(m, size);
  rows.setFromTriplets(entries.begin(), entries.end());

  Matrix hessian = Matrix::Zero(size, size);
  hessian.topLeftCorner(n, n) = unit_.asDiagonal() * curvature * unit_.asDiagonal();
  const double largest = n > 0 ? hessian.diagonal().head(n).cwiseAbs().maxCoeff() : 1;
  hessian.diagonal().tail(size - n).setConstant(elastic_curvature * std::max(largest, 1e-300));
  Vector slope(size), lower(size), upper(size);
  slope.head(n) = gradient.cwiseProduct(unit_);
  lower.head(n) = (model_.least() - at.x).cwiseQuotient(unit_).cwiseMax(-radius).cwiseMin(0.0);
  upper.head(n) = (model_.most() - at.x).cwiseQuotient(unit_).cwiseMin(radius).cwiseMax(0.0);
  Vector row_lower(m), row_upper(m);
  for (Index i = 0; i < m; ++i) {  // p and q begin at what is broken: nothing moves at d = 0
    const double inside = activity[i] - model_.broken(i, activity[i]);
    row_lower[i] = row_unit[i] * std::min(0.0, model_.lower()[i] - inside);
    row_upper[i] = row_unit[i] * std::max(0.0, model_.upper()[i] - inside);
  }
  for (std::size_t k = 0; k < elastic.size(); ++k) {
    const auto [i, sign] = elastic[k];
    const Index j = n + static_cast<Index>(k);
    slope[j] = sigma[i] / row_unit[i];
    lower[j] = -row_unit[i] * std::max(0.0, -sign * model_.broken(i, activity[i]));
    upper[j] = infinity;
  }
  DenseQp qp{std::move(hessian),   std::move(slope),    std::move(lower), std::move(upper), rows,
             std::move(row_lower), std::move(row_upper)};
  qp.price = std::max(1e-300, qp.gradient.lpNorm<Eigen::Infinity>());
  qp.unit = std::max({1e-300, at.x.cwiseQuotient(unit_).lpNorm<Eigen::Infinity>(), std::min(radius, 1.0)});

  if (static_cast<Index>(face_.variables.size()) != size) {
    face_.variables.assign(static_cast<std::size_t>(size), inside);
    face_.rows.assign(static_cast<std::size_t>(m), inside);
    for (Index j = n; j < size; ++j) face_.variables[static_cast<std::size_t>(j)] = at_lower;
  }
  for (Index j = 0; j < size; ++j) {  // nobody is held at a bound that is not there
    Side& side = face_.variables[static_cast<std::size_t>(j)];
    if ((side == at_lower && !is_finite(qp.lower[j])) || (side == at_upper && !is_finite(qp.upper[j])))
      side = inside;
  }
  QpPoint point;
  if (solve_program(qp, face_, point, work) != QpEnd::solved || !point.d.allFinite() ||
      !point.multipliers.allFinite()) {
    face_ = {};
    return false;
  }
  out.d = point.d.head(n).cwiseMax(qp.lower.head(n)).cwiseMin(qp.upper.head(n)).cwiseProduct(unit_);
  out.multipliers = point.multipliers.cwiseProduct(row_unit);
  const Vector after = activity + at.jacobian * out.d;
  out.broken.resize(m);
  for (Index i = 0; i < m; ++i) out.broken[i] = model_.broken(i, after[i]);
  return true;
}

}  // namespace bridle::second
