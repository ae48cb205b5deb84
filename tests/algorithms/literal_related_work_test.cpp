// Methods of the related work against their pseudo-code, as in literal_rivals_test.cpp.
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "tests/algorithms/literal_rival.hpp"

namespace bridle::literal {
namespace {

TEST(LiteralRivals, ProxPda) {
  expect_literal(
      "prox-pda", Rows_::equalities,
      [](Rival& r) {
        // The x-step solved as the quadratic program that it is, c = 1/(rho tau).
        const auto [A, b] = r.expected();
        const double rho = r.p.rho, c = 1 / (rho * r.p.tau);
        const Matrix H = rho * A.transpose() * A + rho * (c * Matrix::Identity(n, n) - A.transpose() * A);
        const Vector right = rho * (c * r.x - A.transpose() * (A * r.x)) - r.full_gradient(r.x) -
                             A.transpose() * (r.y - rho * b);
        const Vector before = r.x;
        r.x = H.llt().solve(right);
        r.y += rho * (A * (r.mutant ? before : r.x) - b);
      },
      "dual step from the old x");
}

constexpr std::uint64_t inner = 7;  // floor of the square root of the number of steps

TEST(LiteralRivals, ConEx) {
  Vector average, before;
  const auto step = [&](Rival& r) {
    const Vector x = r.x.head(n), activity = rows * x;
    if (r.t % inner == 0) average = Vector::Zero(n), before = activity;
    const Vector s = r.mutant ? activity : Vector(2 * activity - before);
    for (Index i = 0; i < m; ++i) {  // one multiplier for each side of a row; at most one is not 0
      const double up = r.y[i] + r.p.eta * (s[i] - upper[i]), down = r.y[i] + r.p.eta * (s[i] - lower[i]);
      r.y[i] = std::max(up, 0.0) + std::min(down, 0.0);
      if (lower[i] == upper[i]) r.y[i] = up;
    }
    before = activity;
    const Vector G =
        r.gradient(r.x, r.next_sample()).head(n) + rows.transpose() * r.y + r.p.mu * (x - r.z.head(n));
    Vector next = r.x;
    next.head(n) = x - r.p.tau * G;
    r.x = r.projected(next);
    average += r.x.head(n);
    if (r.t % inner == inner - 1) r.x.head(n) = r.z.head(n) = average / static_cast<double>(inner);
    r.x.tail(2) << rows.row(1) * r.x.head(n), rows.row(3) * r.x.head(n);
    r.x = r.projected(r.x);
  };
  expect_literal("conex", Rows_::known, step, "no extrapolation");
}

TEST(LiteralRivals, MaLinYang) {
  Vector sum;
  double count = 0;
  int feasible = 0, broken = 0;
  const auto step = [&](Rival& r) {
    if (r.t % inner == 0) sum = Vector::Zero(n), count = 0;
    const Vector x = r.x.head(n), activity = rows * x;
    const Vector over = activity - activity.cwiseMax(lower).cwiseMin(upper);
    Index worst = 0;
    const double g = over.cwiseAbs().maxCoeff(&worst);
    Vector next = r.x;
    if (g <= r.p.eta) {
      ++feasible;
      sum += x;
      ++count;
      next.head(n) = x - r.p.tau * (r.gradient(r.x, r.next_sample()).head(n) + r.p.mu * (x - r.z.head(n)));
    } else {
      ++broken;
      const double sign = (over[worst] > 0) == r.mutant ? -1 : 1;
      next.head(n) = x - sign * r.p.tau * rows.row(worst).transpose();
    }
    r.x = r.projected(next);
    if (r.t % inner == inner - 1 && count > 0) r.x.head(n) = r.z.head(n) = sum / count;
    r.x.tail(2) << rows.row(1) * r.x.head(n), rows.row(3) * r.x.head(n);
    r.x = r.projected(r.x);
  };
  expect_literal("ma-lin-yang", Rows_::known, step, "away from the row");
  EXPECT_GT(broken, 0);
  EXPECT_GT(feasible, 0) << "both branches must have been taken";
}

TEST(LiteralRivals, StochasticSqp) {
  double merit = 1, ratio = 1;
  const auto step = [&](Rival& r) {
    if (r.t == 0) merit = ratio = 1;
    const auto [A, b] = r.expected();
    const Vector g = r.gradient(r.x, r.next_sample()), c = A * r.x - b;
    Matrix system = Matrix::Zero(n + m, n + m);  // [I A'; A 0] (d, y) = -(g, c)
    system.topLeftCorner(n, n).setIdentity();
    system.topRightCorner(n, m) = A.transpose();
    system.bottomLeftCorner(m, n) = A;
    Vector right(n + m);
    right << -g, -c;
    const Vector solution = system.fullPivLu().solve(right);
    const Vector d = solution.head(n);
    r.y = solution.tail(m);
    const double L = r.p.mu, beta = r.p.tau * L, dd = d.squaredNorm(), norm = c.lpNorm<1>();
    const double rise = g.dot(d) + dd;
    if (rise > 0 && merit > 0.5 * norm / rise) merit = (1 - 1e-6) * 0.5 * norm / rise;
    const double delta = -merit * (g.dot(d) + 0.5 * dd) + norm;
    if (ratio > delta / (merit * dd)) ratio = (1 - 1e-6) * delta / (merit * dd);
    const double a1 = beta * delta / (merit * L * dd), a2 = a1 - 4 * norm / (merit * L * dd);
    const double low = beta * ratio * merit / (merit * L), wanted = a1 < 1 ? a1 : (a2 <= 1 ? 1 : a2);
    const double length = std::min(std::max(wanted, low), low + 1e4 * beta * beta);
    r.x += (r.mutant ? low : length) * d;
  };
  expect_literal("stochastic-sqp", Rows_::equalities, step, "the shortest step always");
}

TEST(LiteralRivals, SslAlm) {
  constexpr double tau = 0.05, eta = 0.05, beta = 0.5, mu = 2, rho = 1;  // the defaults of its constructor
  const auto step = [=](Rival& r, const Matrix& A, const Vector& b, const Matrix& A2, const Vector& b2) {
    for (Index i = 0; i < m; ++i) {
      r.y[i] += eta * (A.row(i) * r.x - b[i]);
      if (r.y[i] >= 100) r.y[i] = 0;
    }
    const Vector g = r.gradient(r.x, r.next_sample());
    const Vector G = g + A.transpose() * (r.y + rho * (A2 * r.x - b2)) + mu * (r.x - r.z);
    r.old = r.x;
    r.x = r.projected(r.x - tau * G);
    r.z += beta * ((r.mutant ? r.x : r.old) - r.z);
  };
  expect_literal(
      "ssl-alm", Rows_::known,
      [&](Rival& r) {
        const auto [A, b] = r.expected();
        step(r, A, b, A, b);
      },
      "z from the new x");
  expect_literal(
      "ssl-alm", Rows_::drawn,
      [&](Rival& r) {
        const auto [A, b] = r.drawn(r.draws().zeta(r.samples_drawn()));
        step(r, A, b, A, b);
      },
      "z from the new x");
}

}  // namespace
}  // namespace bridle::literal
