// The rivals against the pseudo-code of their papers (docs/algorithms/rivals.md has it in our symbols),
// written out once more with dense matrices: equal to rounding for 50 steps, unlike a mutant of each.
#include "tests/algorithms/literal_rival.hpp"

namespace bridle::literal {
namespace {

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

}  // namespace
}  // namespace bridle::literal
