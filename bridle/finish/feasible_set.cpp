#include "bridle/finish/feasible_set.hpp"

#include <cmath>
#include <vector>

#include <Eigen/QR>

#include "bridle/finish/face.hpp"
#include "bridle/finish/normal_equations.hpp"

namespace bridle {
namespace {

// Ruiz' scaling: units of the columns in which, with rows scaled alike, the largest entries of rows and
// columns come near 1.
Vector even_units(const SparseColumns& matrix) {
  constexpr int rounds = 20;
  Vector columns = Vector::Ones(matrix.cols()), rows = Vector::Ones(matrix.rows());
  for (int k = 0; k < rounds; ++k) {
    Vector column_size = Vector::Zero(matrix.cols()), row_size = Vector::Zero(matrix.rows());
    for (Index j = 0; j < matrix.cols(); ++j)
      for (SparseColumns::InnerIterator it(matrix, j); it; ++it) {
        const double entry = std::abs(it.value()) * rows[it.row()] * columns[j];
        column_size[j] = std::max(column_size[j], entry);
        row_size[it.row()] = std::max(row_size[it.row()], entry);
      }
    columns = (column_size.array() > 0).select(columns.cwiseQuotient(column_size.cwiseSqrt()), columns);
    rows = (row_size.array() > 0).select(rows.cwiseQuotient(row_size.cwiseSqrt()), rows);
  }
  return columns;
}

constexpr double met = 1e-7;  // rows of unit length, relative to their right-hand sides

}  // namespace

std::optional<FeasibleSet> FeasibleSet::of(const Problem& problem) {
  const auto description = problem.set().description();
  if (!description) return std::nullopt;
  return of(*description, problem.rows().matrix, problem.rows().lower, problem.rows().upper);
}

std::optional<FeasibleSet> FeasibleSet::of(const LinearDescription& set, const SparseRows& rows,
                                           const Vector& rows_lower, const Vector& rows_upper,
                                           double most_entries) {
  const Index n = set.bounds.lower.size(), m = rows.rows(), extra = set.rows.rows();
  FeasibleSet out;
  out.bounds_ = set.bounds;
  std::vector<Index> place(static_cast<std::size_t>(n), -1);  // among the tied
  for (const SparseRows* matrix : {&rows, &set.rows})
    for (Index i = 0; i < matrix->rows(); ++i)
      for (SparseRows::InnerIterator it(*matrix, i); it; ++it) place[static_cast<std::size_t>(it.col())] = 0;
  for (Index j = 0; j < n; ++j)
    if (Index& where = place[static_cast<std::size_t>(j)]; where == 0) {
      where = static_cast<Index>(out.tied_.size());
      out.tied_.push_back(j);
    }
  out.variables_ = static_cast<Index>(out.tied_.size());
  out.problem_rows_ = m;
  out.right_ = Vector::Zero(m + extra);
  out.row_length_ = Vector::Ones(m + extra);
  std::vector<Eigen::Triplet<double>> entries;
  const Vector tied_lower = set.bounds.lower(out.tied_), tied_upper = set.bounds.upper(out.tied_);
  std::vector<double> lower(tied_lower.begin(), tied_lower.end());
  std::vector<double> upper(tied_upper.begin(), tied_upper.end());
  const auto add = [&](const SparseRows& matrix, const Vector& low, const Vector& high, Index offset) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      const double norm = std::sqrt(matrix.row(i).squaredNorm()), length = norm > 0 ? norm : 1;
      out.row_length_[offset + i] = length;
      for (SparseRows::InnerIterator it(matrix, i); it; ++it)
        entries.emplace_back(offset + i, place[static_cast<std::size_t>(it.col())], it.value() / length);
      if (low[i] == high[i]) {
        out.right_[offset + i] = low[i] / length;
      } else {
        entries.emplace_back(offset + i, static_cast<Index>(lower.size()), -1.0);
        lower.push_back(low[i] / length);
        upper.push_back(high[i] / length);
      }
    }
  };
  add(rows, rows_lower, rows_upper, 0);
  add(set.rows, set.lower, set.upper, m);
  out.lower_ = Eigen::Map<const Vector>(lower.data(), static_cast<Index>(lower.size()));
  out.upper_ = Eigen::Map<const Vector>(upper.data(), static_cast<Index>(upper.size()));
  out.matrix_.resize(m + extra, out.lower_.size());
  out.matrix_.setFromTriplets(entries.begin(), entries.end());
  if (normal_entries(out.matrix_) > most_entries) return std::nullopt;
  out.even_units_ = even_units(out.matrix_.leftCols(out.variables_));
  return out;
}

Vector FeasibleSet::with_untied(Vector x, const Vector& tied) const {
  x = x.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
  x(tied_) = tied;
  return x;
}

FeasibleSet::Projection FeasibleSet::project(const Vector& centre, const Vector& metric, const Vector* near,
                                             Step step) const {
  if (tied_.empty()) {
    const Vector none(0);
    return {with_untied(centre, none), Vector::Zero(problem_rows_), violation(none) == 0};
  }
  Vector from;
  if (near) from = (*near)(tied_);
  Projection out = project_tied(centre(tied_), metric(tied_), near ? &from : nullptr, step);
  out.x = with_untied(centre, out.x);
  return out;
}

FeasibleSet::Projection FeasibleSet::project_tied(const Vector& centre, const Vector& metric,
                                                  const Vector* near, Step step) const {
  const auto there = [&](const Projection& found) {
    return found.exact || !found.x.allFinite() || violation(found.x) <= met * (1 + right_.norm());
  };
  Projection nearest = attempts(centre, metric, nullptr, near);
  if (near && step == Step::plain) return nearest;
  // The same projection in units that even out the entries of the rows; then in the metric of these units,
  // which leads to a near point if not to the nearest one. Whoever steps from a point of the set needs the
  // nearest: in another metric the step may lead uphill.
  const Vector even_metric = even_units_.cwiseAbs2().cwiseInverse();
  for (const Vector* in : {&metric, &even_metric}) {
    if (there(nearest) || (near && in == &even_metric)) break;
    Projection found = attempts(centre, *in, &even_units_, nullptr);
    if (violation(found.x) < violation(nearest.x)) nearest = std::move(found);
  }
  return nearest;
}

FeasibleSet::Projection FeasibleSet::attempts(const Vector& centre, const Vector& metric, const Vector* units,
                                              const Vector* near) const {
  // Badly scaled sets need to know the scale of the move: what was found is where to look from next.
  constexpr int most_attempts = 3;
  Projection best;
  double best_broken = infinity;
  for (int k = 0; k < most_attempts; ++k) {
    Projection found = attempt(centre, metric, units, k == 0 ? near : &best.x);
    const double broken = violation(found.x);
    if (best.x.size() == 0 || (std::isfinite(broken) && (found.exact || broken < best_broken))) {
      best = std::move(found);
      best_broken = broken;
    }
    if (best.exact || !best.x.allFinite()) break;
  }
  return best;
}

double FeasibleSet::violation(const Vector& x) const {
  Vector activity = matrix_.leftCols(variables_) * x - right_;
  for (Index k = variables_; k < lower_.size(); ++k) {
    const Index row = SparseColumns::InnerIterator(matrix_, k).row();
    activity[row] -= std::clamp(activity[row], lower_[k], upper_[k]);
  }
  return activity.norm();
}

double FeasibleSet::relative_violation(const Vector& x) const {
  Vector activity = matrix_.leftCols(variables_) * x - right_, size = right_.cwiseAbs();
  for (Index j = 0; j < variables_; ++j)
    for (SparseColumns::InnerIterator it(matrix_, j); it; ++it)
      size[it.row()] = std::max(size[it.row()], std::abs(it.value() * x[j]));
  for (Index k = variables_; k < lower_.size(); ++k) {
    const Index row = SparseColumns::InnerIterator(matrix_, k).row();
    const double kept = std::clamp(activity[row], lower_[k], upper_[k]);
    activity[row] -= kept;
    size[row] = std::max(size[row], std::abs(kept));
  }
  double largest = 0;
  for (Index i = 0; i < activity.size(); ++i)
    if (activity[i] != 0) largest = std::max(largest, std::abs(activity[i]) / size[i]);
  return largest;
}

FeasibleSet::Projection FeasibleSet::attempt(const Vector& centre, const Vector& metric, const Vector* units,
                                             const Vector* near) const {
  using enum Side;
  // Variables v = x / (scale unit) around a reference point, with scale = 1/sqrt(D) unless units are given,
  // so that the Hessian is the identity, and rows of unit length again.
  const Index size = lower_.size();
  Vector scale(size);
  scale.head(variables_) = units ? *units : Vector(metric.cwiseSqrt().cwiseInverse());
  scale.tail(size - variables_).setConstant(std::exp(scale.head(variables_).array().log().mean()));
  Vector reference = Vector::Zero(size);
  double unit = 1;
  if (near) {
    reference.head(variables_) = *near;
    Vector activity = matrix_.leftCols(variables_) * *near;
    for (Index k = variables_; k < size; ++k) {
      const SparseColumns::InnerIterator entry(matrix_, k);
      reference[k] = std::clamp(activity[entry.row()], lower_[k], upper_[k]);
    }
    const Vector move = (centre - *near).cwiseQuotient(scale.head(variables_));
    unit = std::max(move.norm() / std::sqrt(static_cast<double>(variables_)), 1e-9);
  }
  DiagonalQp qp;
  qp.matrix = matrix_ * scale.asDiagonal();
  qp.right = (right_ - matrix_ * reference) / unit;
  Vector row_scale = Vector::Zero(right_.size());
  for (Index k = 0; k < size; ++k)
    for (SparseColumns::InnerIterator it(qp.matrix, k); it; ++it)
      row_scale[it.row()] += it.value() * it.value();
  row_scale = (row_scale.array() > 0).select(row_scale.cwiseSqrt().cwiseInverse(), 1.0);
  qp.matrix = row_scale.asDiagonal() * qp.matrix;
  qp.right = qp.right.cwiseProduct(row_scale);
  qp.hessian = Vector::Zero(size);
  qp.hessian.head(variables_).setOnes();
  double weight = 1;  // of the objective
  if (units) {
    qp.hessian.head(variables_) = metric.cwiseProduct(units->cwiseAbs2());
    weight = qp.hessian.maxCoeff();
    qp.hessian /= weight;
  }
  qp.linear = Vector::Zero(size);
  qp.linear.head(variables_) =
      -(centre - reference.head(variables_)).cwiseQuotient(scale.head(variables_)) / unit;
  if (units) qp.linear = qp.linear.cwiseProduct(qp.hessian);
  qp.lower = (lower_ - reference).cwiseQuotient(scale) / unit;
  qp.upper = (upper_ - reference).cwiseQuotient(scale) / unit;

  const QpSolution solution = solve_interior_point(qp);
  Vector w = solution.w, y = solution.multipliers;
  // A bound is touched when the way to it is shorter than the push against it.
  const Vector slope = qp.hessian.cwiseProduct(w) + qp.linear + qp.matrix.transpose() * y;
  std::vector<Side> side(static_cast<std::size_t>(size), inside);
  for (Index j = 0; j < size; ++j) {
    if (qp.lower[j] == qp.upper[j] || w[j] - qp.lower[j] < slope[j])
      side[static_cast<std::size_t>(j)] = at_lower;
    else if (qp.upper[j] - w[j] < -slope[j])
      side[static_cast<std::size_t>(j)] = at_upper;
  }
  const auto to_x = [&](const Vector& at, const std::vector<Side>& held) {
    Vector x(variables_);
    for (Index j = 0; j < variables_; ++j) {
      const Side where = held[static_cast<std::size_t>(j)];
      x[j] = where == at_lower   ? lower_[j]
             : where == at_upper ? upper_[j]
                                 : std::clamp(at[j] * unit * scale[j] + reference[j], lower_[j], upper_[j]);
    }
    return x;
  };
  Projection out;
  Vector face_w, face_y;
  if (auto face = side;
      settle_on_face(qp, face, 1e-7 * (1 + 0.01 * qp.linear.lpNorm<Eigen::Infinity>()), face_w, face_y)) {
    w = face_w;
    y = face_y;
    side = std::move(face);
    out.exact = true;
  }
  out.x = to_x(w, side);
  if (const auto resting = at_rest(qp, side, w);
      out.exact && resting != side && solve_on_face(qp, resting, face_w, face_y)) {
    const Vector x = to_x(face_w, resting);
    if (relative_violation(x) < relative_violation(out.x)) out.x = x;
  }
  out.multipliers = (y.cwiseProduct(row_scale) * (unit * weight))
                        .head(problem_rows_)
                        .cwiseQuotient(row_length_.head(problem_rows_));
  return out;
}

// A ray proves nothing as long as a column pushes towards a bound that it does not have, however weakly.
// Moves y as little as it takes for such columns to have no price, until no other column pushes so.
void FeasibleSet::free_unbounded_columns(Vector& y) const {
  constexpr Index most_numbers = 4'000'000;
  const Vector first = y;
  std::vector<char> freed(static_cast<std::size_t>(lower_.size()), 0);
  for (int round = 0; round < 30; ++round) {
    const Vector price = matrix_.transpose() * y;
    std::vector<Index> columns;
    bool more = false;
    for (Index j = 0; j < price.size(); ++j) {
      char& free = freed[static_cast<std::size_t>(j)];
      const double bound = price[j] > 0 ? lower_[j] : upper_[j];
      if (!free && price[j] != 0 && !is_finite(bound)) free = more = true;
      if (free) columns.push_back(j);
    }
    const auto count = static_cast<Index>(columns.size());
    if (!more || count * y.size() > most_numbers) return;
    Matrix priced(count, y.size());
    for (Index k = 0; k < count; ++k)
      priced.row(k) = matrix_.col(columns[static_cast<std::size_t>(k)]).transpose();
    y = first - priced.completeOrthogonalDecomposition().solve(priced * first);
  }
}

// min |r|^2 / 2 over A w + r = b and the bounds: at the solution the multipliers of the rows are -r.
FeasibleSet::LeastViolation FeasibleSet::least_violation() const {
  const Index size = lower_.size(), rows = right_.size();
  SparseColumns identity(rows, rows);
  identity.setIdentity();
  DiagonalQp qp;
  qp.matrix.resize(rows, size + rows);
  qp.matrix.leftCols(size) = matrix_;
  qp.matrix.rightCols(rows) = identity;
  qp.right = right_;
  qp.hessian = Vector::Zero(size + rows);
  qp.hessian.tail(rows).setOnes();
  qp.linear = Vector::Zero(size + rows);
  qp.lower = qp.upper = Vector::Zero(size + rows);
  qp.lower << lower_, Vector::Constant(rows, -infinity);
  qp.upper << upper_, Vector::Constant(rows, infinity);
  QpSolution found = solve_interior_point(qp);
  Vector& y = found.multipliers;
  if (y.allFinite()) free_unbounded_columns(y);
  const Vector tied =
      found.w.head(variables_).cwiseMax(lower_.head(variables_)).cwiseMin(upper_.head(variables_));
  return {with_untied(Vector::Zero(bounds_.lower.size()), tied), y.cwiseQuotient(row_length_)};
}

}  // namespace bridle
