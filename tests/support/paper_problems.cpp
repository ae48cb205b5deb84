#include "tests/support/paper_problems.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "bridle/problem/sets/box.hpp"

namespace bridle::paper {
namespace {

// sbar is a Hoffman constant where X is a box: several times its value for X = R^n. The descent question
// measures it and says whether this sufficed.
constexpr double box_factor = 5;
constexpr double row_noise = 0.3;  // E|A_zeta - A|_F^2 = row_noise^2 * rows

// Draws A + E, E independent signs times row_noise / sqrt(n).
struct NoisyRows {
  Matrix rows;
  Index dimension() const { return rows.cols(); }
  Index count() const { return rows.rows(); }
  void draw(Sample zeta, RowSample& out) const {
    const std::uint64_t bits = Stream(zeta, Purpose::constraint).bits(0).first;
    const double size = row_noise / std::sqrt(static_cast<double>(rows.cols()));
    int bit = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      out.begin_row(i, 1, 0);
      for (Index j = 0; j < rows.cols(); ++j, ++bit)
        out.add(j, rows(i, j) + ((bits >> bit) & 1 ? size : -size));
    }
  }
  MeanRows mean() const { return {rows.sparseView(), Vector::Zero(rows.rows())}; }
};

Vector normals(const Stream& stream, Index count, std::uint64_t counter) {
  Vector out(count);
  stream.fill_normal(out, counter);
  return out;
}

Matrix random_basis(const Stream& stream, Index n) {
  const Matrix gauss = normals(stream, n * n, 1).reshaped(n, n);
  return Matrix(Eigen::HouseholderQR<Matrix>(gauss).householderQ());
}

// Singular values of the rows with their slack columns.
std::pair<double, double> row_spectrum(const Problem& problem) {
  const Rows& rows = problem.rows();
  Matrix gram = Matrix(rows.matrix * SparseRows(rows.matrix.transpose()));
  for (Index i = 0; i < rows.count(); ++i)
    if (!rows.is_equality(i)) gram(i, i) += 1;
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  return {std::sqrt(values.minCoeff()), std::sqrt(values.maxCoeff())};
}

TheoryConstants constants_of(const Problem& problem, double smoothness, double multiplicative) {
  TheoryConstants c;
  c.smoothness = smoothness;
  // E|grad f(x, xi) - grad f(x', xi)|^2 = |Q (x - x')|^2 + multiplicative^2 |x - x'|^2
  c.mean_smoothness = std::hypot(smoothness, multiplicative);
  const auto [smallest, largest] = row_spectrum(problem);
  c.row_norm = largest;
  c.error_bound = box_factor * unconstrained_error_bound(smoothness, theory_mu(c), smallest);
  return c;
}

}  // namespace

Instance make_instance(const Family& family, std::uint64_t seed) {
  constexpr Index n = variables;
  const Index m = family.rows == RowKind::mixed ? 4 : 3;
  const Stream stream(seed, Purpose::generator);
  const Matrix basis = random_basis(stream, n);
  const Stream other(seed + 1'000'003, Purpose::generator);
  const Matrix row_basis = family.region == Region::whole_space ? basis : random_basis(other, n);
  Matrix rows(m, n);
  for (Index i = 0; i < m; ++i)
    rows.row(i) = (1 - 0.4 * static_cast<double>(i) / static_cast<double>(m)) * row_basis.col(i).transpose();

  // No curvature near 0: the slowest mode would decide everything.
  Vector spectrum = Vector::LinSpaced(n, 0.4, 1);
  spectrum.head(3) = Vector{{-0.5, -0.4, -0.3}};
  if (family.region == Region::whole_space) {
    spectrum = Vector::LinSpaced(n, 0.4, 1);
    spectrum.head(m).setConstant(-0.5);
  }
  Matrix hessian = basis * spectrum.asDiagonal() * basis.transpose();
  hessian = 0.5 * (hessian + hessian.transpose()).eval();

  const Vector inside = 0.4 * normals(stream, n, 2).cwiseMax(-1.5).cwiseMin(1.5);
  // Row 1 is pushed against its lower bound, the last inequality against neither, the others upwards.
  Vector push = normals(stream, m, 3).cwiseAbs().array() + 0.5;
  push[1] = -push[1];
  const bool inequalities = family.rows == RowKind::inequality || family.rows == RowKind::mixed;
  if (inequalities) push[m - 1] = 0;
  const Vector cost = 0.5 * normals(stream, n, 4) - rows.transpose() * push;
  const Vector activity = rows * inside;
  Vector lower = activity, upper = activity;
  for (Index i = family.rows == RowKind::mixed ? 2 : 0; inequalities && i < m; ++i) {
    if (push[i] >= 0) lower[i] -= 1;
    if (push[i] <= 0) upper[i] += 1;
  }

  Problem problem(Quadratic(hessian.sparseView(), cost, 0, family.noise));
  if (family.region == Region::box) problem.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 1)));
  if (family.rows == RowKind::drawn)
    problem.subject_to_expected(NoisyRows{rows}, lower, upper);
  else
    problem.subject_to(rows, lower, upper);
  const double reach = family.region == Region::box ? static_cast<double>(n) : 4.0 * n;
  const double sigma = std::hypot(family.noise.additive, family.noise.multiplicative * std::sqrt(reach));
  TheoryConstants constants = constants_of(problem, 1, family.noise.multiplicative);
  return {std::move(problem), constants, sigma, rows};
}

double formula_dual_bound(const Instance& instance, double mu, double rho) {
  const double n = variables;
  const Vector zero = Vector::Zero(variables);
  Vector cost(variables);
  instance.problem.objective().mean_gradient(zero, cost);
  SafeguardConstants c;
  c.largest_value = cost.lpNorm<1>() + 0.5 * n;  // |c'x + x'Hx/2| on [-1, 1]^n, |H| <= 1
  c.lowest_value = -c.largest_value;
  c.diameter = 2 * std::sqrt(n);
  c.largest_residual = 2 * std::sqrt(n);  // |A| <= 1 and A x = b somewhere in the box
  // X holds a ball of radius 0.4 around a point with A x = b.
  c.slater = 0.4 * Eigen::JacobiSVD<Matrix>(instance.rows).singularValues().minCoeff();
  return theory_dual_bound(c, mu, rho);
}

DrawnConstants drawn_constants(const Instance& instance, double rho, double largest_y) {
  const double m = static_cast<double>(instance.rows.rows()), n = variables;
  const double spread = row_noise * std::sqrt(m), norm = 1 + spread;  // |E|_F and a bound on |A_zeta|
  const double of_f = 1 + std::pow(instance.constants.mean_smoothness, 2);
  const double of_pull = 2 * std::pow(rho * norm * norm, 2), of_residual = 2 * norm * norm;
  const double residual = 2 * std::sqrt(n);
  // |A1'w2 - A'w|^2 <= 2 |A1|^2 |w2 - w|^2 + 2 |E|^2 |w|^2, w = y + rho (A x - b)
  const double w = largest_y + rho * residual;
  const double pull = 2 * norm * norm * rho * rho * spread * spread * n / m + 2 * spread * spread * w * w;
  return {of_f + of_pull + of_residual, instance.sigma * instance.sigma + spread * spread * n / m + pull};
}

Instance make_concave_rows(double noise, std::uint64_t seed) {
  constexpr Index n = 6, m = 2;
  const Stream stream(seed, Purpose::generator);
  const Matrix basis = random_basis(stream, n);
  Vector spectrum = Vector::LinSpaced(n, 0.3, 1);
  spectrum.head(m).setConstant(-1);
  Matrix hessian = basis * spectrum.asDiagonal() * basis.transpose();
  hessian = 0.5 * (hessian + hessian.transpose()).eval();
  const Matrix rows = basis.leftCols(m).transpose();
  const Vector inside = 0.3 * normals(stream, n, 2).cwiseMax(-1.5).cwiseMin(1.5);
  Problem problem(Quadratic(hessian.sparseView(), 0.3 * normals(stream, n, 4), 0, {.additive = noise}));
  problem.within(Box(Vector::Constant(n, -2), Vector::Constant(n, 2)));
  problem.subject_to(rows, rows * inside, rows * inside);
  TheoryConstants constants = constants_of(problem, 1, 0);
  return {std::move(problem), constants, noise, rows};
}

}  // namespace bridle::paper
