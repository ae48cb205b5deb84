// The rivals against the pseudo-code of their papers (docs/algorithms/rivals.md has it in our symbols),
// written out once more with dense matrices: equal to rounding for 50 steps, unlike a mutant of each.
#include "tests/algorithms/literal_case.hpp"

namespace bridle::literal {
namespace {

// beta, mu, eta and alpha are given to all, so that a loop that used what it must not would be seen.
constexpr Parameters parameters{.tau = 0.02, .eta = 0.3, .beta = 0.2, .mu = 3, .rho = 2, .alpha = 0.4};
constexpr double same = 1e-12, different = 1e-3;

struct Rival : Loop {
  Rival(Rows_ kind, bool mutated) : Loop(kind, start_of(make_form(kind)), parameters), mutant(mutated) {}

  bool mutant;
  std::uint64_t t = 0;  // of the iteration under way: 0, 1, ...
  Vector dhat, old;     // estimate of grad f(x), x before the last step

  Vector residual() const {
    const auto [A, b] = expected();
    return A * x - b;
  }
  Vector adjoint(const Vector& w) const { return expected().first.transpose() * w; }
  void primal(double tau, const Vector& G) {
    old = x;
    x = projected(x - tau * G);
  }
  void storm(double alpha) {
    const Sample xi = next_sample();
    dhat = gradient(x, xi) + (1 - alpha) * (dhat - gradient(old, xi));
  }
  double order(double exponent) const { return std::pow(static_cast<double>(t + 1), exponent); }
};

template <class Step>
double difference(const char* name, Rows_ kind, const Step& step, bool mutated = false) {
  Rival rival(kind, mutated);
  return largest_difference(name, kind, parameters, rival, [&](Rival& r) {
    step(r);
    ++r.t;
  });
}
template <class Step>
void expect_literal(const char* name, Rows_ kind, const Step& step, const char* mutation) {
  EXPECT_LE(difference(name, kind, step), same);
  EXPECT_GT(difference(name, kind, step, true), different) << mutation;
}

TEST(LiteralRivals, PlainAlm) {
  expect_literal(
      "plain-alm", Rows_::known,
      [](Rival& r) {
        const Vector before = r.y;
        r.y += r.p.eta * r.residual();
        const Vector g = r.gradient(r.x, r.next_sample());
        r.primal(r.p.tau, g + r.adjoint((r.mutant ? before : r.y) + r.p.rho * r.residual()));
      },
      "the old multipliers");
}

TEST(LiteralRivals, PenaltySgd) {
  expect_literal(
      "penalty-sgd", Rows_::known,
      [](Rival& r) {
        const Vector g = r.gradient(r.x, r.next_sample());
        const Vector y = r.mutant ? Vector(Vector::Zero(m)) : r.y;  // it keeps the y it was given
        r.primal(r.p.tau, g + r.adjoint(y + r.p.rho * r.residual()));
      },
      "without the start's y");
}

TEST(LiteralRivals, ZhangLuo) {
  expect_literal(
      "zhang-luo", Rows_::known,
      [](Rival& r) {
        r.y += r.p.eta * r.residual();
        r.primal(r.p.tau,
                 r.full_gradient(r.x) + r.adjoint(r.y + r.p.rho * r.residual()) + r.p.mu * (r.x - r.z));
        r.z += r.p.beta * ((r.mutant ? r.old : r.x) - r.z);
      },
      "z from the old x");
}

TEST(LiteralRivals, AlacaogluWrightAlm) {
  expect_literal(
      "alacaoglu-wright-alm", Rows_::equalities,
      [](Rival& r) {
        if (r.t == 0) r.dhat = r.batch_gradient(r.x, first_size);
        if (r.mutant) r.y += r.p.eta * r.residual();
        r.primal(r.p.tau, r.dhat + r.adjoint(r.y + r.p.rho * r.residual()));
        if (!r.mutant) r.y += r.p.eta * r.residual();
        r.storm(r.p.alpha);
      },
      "dual step from the old x");
}

// rho_t = rho t^growth, tau_t = tau t^-decay, alpha_t = alpha t^-momentum, y stays what it is
void growing_penalty(Rival& r, double growth, double decay, double momentum) {
  if (r.t == 0) r.dhat = r.gradient(r.x, r.next_sample());
  if (r.mutant) growth = 0;
  r.primal(r.p.tau * r.order(-decay), r.dhat + r.adjoint(r.y + r.p.rho * r.order(growth) * r.residual()));
  r.storm(r.p.alpha * r.order(-momentum));
}

TEST(LiteralRivals, GrowingPenaltiesOnKnownRows) {
  expect_literal(
      "alacaoglu-wright-penalty", Rows_::known, [](Rival& r) { growing_penalty(r, 0.2, 0.6, 0.8); },
      "rho that does not grow");
  expect_literal(
      "lu-mei-xiao", Rows_::known, [](Rival& r) { growing_penalty(r, 1.0 / 3, 1.0 / 3, 2.0 / 3); },
      "rho that does not grow");
}

TEST(LiteralRivals, LuMeiXiaoPolyak) {
  expect_literal(
      "lu-mei-xiao-polyak", Rows_::known,
      [](Rival& r) {
        if (r.t == 0) r.dhat = r.gradient(r.x, r.next_sample());
        r.primal(r.p.tau * r.order(-0.5), r.dhat + r.adjoint(r.y + r.p.rho * r.order(0.25) * r.residual()));
        const double alpha = r.p.alpha * r.order(-0.5);
        r.dhat = (1 - alpha) * r.dhat + alpha * r.gradient(r.mutant ? r.old : r.x, r.next_sample());
      },
      "the gradient at the old x");
}

// A_zeta1'(y + rho (A_zeta2 x - b_zeta2))
Vector drawn_pull(const Rival& r, const Vector& x, double rho, Sample zeta1, Sample zeta2) {
  const auto [A1, b1] = r.drawn(zeta1);
  const auto [A2, b2] = r.drawn(zeta2);
  return A1.transpose() * (r.y + rho * (A2 * x - b2));
}
constexpr std::uint64_t beside_the_loop = 1ULL << 48;

TEST(LiteralRivals, AlacaogluWrightPenaltyOnDrawnRows) {
  Vector phat;
  expect_literal(
      "alacaoglu-wright-penalty", Rows_::drawn,
      [&phat](Rival& r) {
        const double alpha = r.p.alpha * r.order(-0.8), rho = r.p.rho * r.order(0.2);
        const std::uint64_t k = r.t + 1;
        if (r.t == 0) {
          phat = drawn_pull(r, r.x, rho, r.draws().zeta1(beside_the_loop), r.draws().zeta2(beside_the_loop));
          r.dhat = r.gradient(r.x, r.next_sample());
        } else {
          const double before = r.mutant ? rho : r.p.rho * std::pow(static_cast<double>(r.t), 0.2);
          const Sample one = r.draws().zeta1(k), two = r.draws().zeta2(k);
          phat = drawn_pull(r, r.x, rho, one, two) +
                 (1 - alpha) * (phat - drawn_pull(r, r.old, before, one, two));
        }
        r.primal(r.p.tau * r.order(-0.6), r.dhat + phat);
        r.storm(alpha);
      },
      "one rho for both points");
}

// Round k of Stoc-iALM has 2^k of 63 parts of the horizon.
struct Rounds {
  static int of(std::uint64_t t) {
    int k = 0;
    for (double end = steps / 63.0 > 1 ? steps / 63.0 : 1, length = end; static_cast<double>(t) >= end; ++k)
      length *= 2, end += length;
    return k;
  }
  static bool begins(std::uint64_t t) { return t == 0 || of(t) != of(t - 1); }
};

// w_k = eta min(1, (log 2)^2 |c_1| / ((k+1) log(k+2)^2 |c|))
void outer_dual_step(Rival& r, const Vector& c, double& first) {
  const int k = Rounds::of(r.t);
  if (first == 0) first = c.norm();
  const double log2 = std::log(2.0), logk = std::log(k + 2.0);
  const double gamma = log2 * log2 * first / ((k + 1) * logk * logk);
  r.y += r.p.eta * (r.mutant ? 1 : std::min(1.0, gamma / c.norm())) * c;
}

TEST(LiteralRivals, StocIalm) {
  double first = 0;
  const auto step = [&first](Rival& r) {
    if (r.t == 0) first = 0;
    const double grown = std::exp2(Rounds::of(r.t));
    if (Rounds::begins(r.t)) r.dhat = r.batch_gradient(r.x, first_size);
    r.primal(r.p.tau / grown, r.dhat + r.adjoint(r.y + grown * r.p.rho * r.residual()));
    r.storm(r.p.alpha);
    if (Rounds::begins(r.t + 1)) outer_dual_step(r, r.residual(), first);
  };
  expect_literal("stoc-ialm", Rows_::known, step, "dual steps that are not damped");
}

TEST(LiteralRivals, StocIalmOnDrawnRows) {
  double first = 0;
  Vector phat;
  const auto step = [&](Rival& r) {
    if (r.t == 0) first = 0;
    const double grown = std::exp2(Rounds::of(r.t)), rho = r.p.rho * grown;
    if (Rounds::begins(r.t)) {
      phat = Vector::Zero(r.size());
      const std::uint64_t from = beside_the_loop + r.samples_drawn();
      for (std::uint64_t k = from; k < from + first_size; ++k)
        phat += drawn_pull(r, r.x, rho, r.draws().zeta1(k), r.draws().zeta2(k)) / first_size;
      r.dhat = r.batch_gradient(r.x, first_size);
    } else {
      const Sample one = r.draws().zeta1(r.t), two = r.draws().zeta2(r.t);
      phat =
          drawn_pull(r, r.x, rho, one, two) + (1 - r.p.alpha) * (phat - drawn_pull(r, r.old, rho, one, two));
    }
    r.primal(r.p.tau / grown, r.dhat + phat);
    r.storm(r.p.alpha);
    if (!Rounds::begins(r.t + 1)) return;
    Vector c = Vector::Zero(m);
    const std::uint64_t from = beside_the_loop + r.samples_drawn();
    for (std::uint64_t k = from; k < from + first_size; ++k) {
      const auto [A, b] = r.drawn(r.draws().zeta(k));
      c += (A * r.x - b) / first_size;
    }
    outer_dual_step(r, c, first);
  };
  expect_literal("stoc-ialm", Rows_::drawn, step, "dual steps that are not damped");
}

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
