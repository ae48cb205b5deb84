// The loops against the paper's pseudo-code, written out once more with dense matrices and explicit slack
// columns, on the user's own rows (identity metric): equal to rounding for 50 steps, unlike mutants of it.
#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/algorithms/storm.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = 5, m = 4, slacks = 2;
constexpr std::uint64_t seed = 42, steps = 50;
constexpr Parameters p{.tau = 0.02, .eta = 0.3, .beta = 0.2, .mu = 3, .rho = 2, .alpha = 0.4};

// Rows 0 and 2 are equalities, 1 and 3 inequalities with slacks in [-1, 1] and [0.2, inf].
const Matrix rows = test::random_matrix(m, n, 1);
const Vector lower = vec(0.5, -1, -0.3, 0.2), upper = vec(0.5, 1, -0.3, infinity);

// Draws (A + E, b + e) with E, e standard normal; E[A], E[b] known.
struct NoisyRows {
  Index dimension() const { return n; }
  Index count() const { return m; }
  void draw(Sample zeta, RowSample& out) const {
    Vector noise(n + 1);
    for (Index i = 0; i < m; ++i) {
      Stream(zeta, Purpose::constraint).fill_normal(noise, static_cast<std::uint64_t>(i));
      out.begin_row(i, 1, 0.1 * noise[n]);
      for (Index j = 0; j < n; ++j) out.add(j, rows(i, j) + 0.1 * noise[j]);
    }
  }
  MeanRows mean() const { return {rows.sparseView(), Vector::Zero(m)}; }
};

enum class Rows_ { known, drawn };

Problem make_problem(Rows_ kind) {
  // Both kinds of noise, so that gradients at two points and one sample do not simply cancel.
  Problem problem(Quadratic(test::sparse(test::with_spectrum(vec(6, 3, 1, -1, -4), 2)), random_vector(n, 3),
                            0, {.additive = 1, .multiplicative = 0.5}));
  problem.within(Box(vec(-0.5, -infinity, 0, -2, -0.1), vec(0.5, 0.3, infinity, 2, 0.1)));
  if (kind == Rows_::known)
    problem.subject_to(rows, lower, upper);
  else
    problem.subject_to_expected(NoisyRows{}, lower, upper);
  return problem;
}

enum class Mutant { none, z_from_new_x, old_multipliers, no_penalty, other_sample };

// Everything in the paper's variable (x, s).
class Paper {
 public:
  Paper(Rows_ kind, const Iterate& start, Index batch, Mutant mutant)
      : x(start.x), y(start.y), z(start.z), problem_(make_problem(kind)), batch_(batch), mutant_(mutant) {}

  Vector x, y, z;

  void algorithm_1() {
    const auto [A, b] = expected();
    const Vector y_old = y;
    y = y + p.eta * (A * x - b);
    Vector g = Vector::Zero(n + slacks);
    for (Index k = 0; k < batch_; ++k) g += gradient(x, next_sample()) / static_cast<double>(batch_);
    step(g + A.transpose() * ((mutant_ == Mutant::old_multipliers ? y_old : y) + rho() * (A * x - b)));
  }

  void algorithm_2(double bound) {
    const auto [A, b] = drawn(draws_.zeta(draw_));
    const auto [A1, b1] = drawn(draws_.zeta1(draw_));
    const auto [A2, b2] = mutant_ == Mutant::other_sample ? std::pair(A1, b1) : drawn(draws_.zeta2(draw_));
    y = y + p.eta * (A * x - b);
    if (y.norm() >= bound) y.setZero(), ++resets;
    const Vector g = gradient(x, next_sample());
    step(g + A1.transpose() * y + rho() * A1.transpose() * (A2 * x - b2));
  }

  void algorithm_3() {
    const auto [A, b] = expected();
    if (estimate_.size() == 0) start_estimate();
    y = y + p.eta * (A * x - b);
    const Vector old = x;
    step(estimate_ + A.transpose() * (y + rho() * (A * x - b)));
    update_estimate(old);
  }

  void algorithm_4(double bound) {
    if (estimate_.size() == 0) {
      residual_ = Vector::Zero(m);
      pull_ = Vector::Zero(n + slacks);
      for (std::uint64_t k = 0; k < first_size_; ++k) {
        const auto share = 1 / static_cast<double>(first_size_);
        const auto [A, b] = drawn(draws_.zeta((1ULL << 48) + k));
        const auto [A1, b1] = drawn(draws_.zeta1((1ULL << 48) + k));
        const auto [A2, b2] = drawn(draws_.zeta2((1ULL << 48) + k));
        residual_ += share * (A * x - b);
        pull_ += share * (A1.transpose() * y + rho() * A1.transpose() * (A2 * x - b2));
      }
      old_x_ = x;
      start_estimate();
    }
    const std::uint64_t t = draw_;
    const auto [A1, b1] = drawn(draws_.zeta1(t));
    const auto [A2, b2] = drawn(draws_.zeta2(t));
    const auto pull = [&, A1 = A1, A2 = A2, b2 = b2](const Vector& at, const Vector& multipliers) {
      return Vector(A1.transpose() * multipliers + rho() * A1.transpose() * (A2 * at - b2));
    };
    const Vector old_y = y;
    y = y + p.eta * residual_;
    if (y.norm() >= bound) y.setZero(), ++resets;
    pull_ = pull(x, y) + (1 - p.alpha) * (pull_ - pull(old_x_, old_y));
    old_x_ = x;
    step(estimate_ + pull_);
    update_estimate(old_x_);
    const auto [A, b] = drawn(draws_.zeta(t));
    residual_ = (A * x - b) + (1 - p.alpha) * (residual_ - (A * old_x_ - b));
  }

  int resets = 0;

 private:
  double rho() const { return mutant_ == Mutant::no_penalty ? 0 : p.rho; }

  // (A, -slack columns) and b; an inequality reads a'x - s = 0.
  std::pair<Matrix, Vector> with_slacks(const Matrix& matrix, const Vector& right) const {
    Matrix all = Matrix::Zero(m, n + slacks);
    all.leftCols(n) = matrix;
    all(1, n) = all(3, n + 1) = -1;
    return {all, right};
  }
  std::pair<Matrix, Vector> expected() const { return with_slacks(rows, vec(0.5, 0, -0.3, 0)); }
  std::pair<Matrix, Vector> drawn(Sample zeta) const {
    RowSample sample;
    NoisyRows{}.draw(zeta, sample);
    Matrix matrix = Matrix::Zero(m, n);
    Vector right = vec(0.5, 0, -0.3, 0);
    for (const auto& row : sample.rows) {
      right[row.row] += row.right;
      for (std::size_t e = row.begin; e < row.end; ++e) matrix(row.row, sample.columns[e]) = sample.values[e];
    }
    return with_slacks(matrix, right);
  }

  Sample next_sample() { return sampler_(draw_++); }
  Vector gradient(const Vector& at, Sample sample) const {
    Vector g(n), out = Vector::Zero(n + slacks);
    problem_.objective().gradient(at.head(n), sample, g);
    out.head(n) = g;
    return out;
  }

  void step(const Vector& without_smoothing) {
    const Vector old = x;
    x = old - p.tau * (without_smoothing + p.mu * (old - z));
    const auto box = *problem_.set().bounds();
    x.head(n) = x.head(n).cwiseMax(box.lower).cwiseMin(box.upper);
    x[n] = std::clamp(x[n], lower[1], upper[1]);
    x[n + 1] = std::clamp(x[n + 1], lower[3], upper[3]);
    z = z + p.beta * ((mutant_ == Mutant::z_from_new_x ? x : old) - z);
  }

  void start_estimate() {
    estimate_ = Vector::Zero(n + slacks);
    for (std::uint64_t k = 0; k < first_size_; ++k)
      estimate_ += gradient(x, next_sample()) / static_cast<double>(first_size_);
  }
  void update_estimate(const Vector& old) {
    const Sample sample = next_sample();
    const Sample at_old = mutant_ == Mutant::other_sample ? sample + 1 : sample;
    estimate_ = gradient(x, sample) + (1 - p.alpha) * (estimate_ - gradient(old, at_old));
  }

  Problem problem_;
  Index batch_;
  Mutant mutant_;
  Sampler sampler_{endless, Sampling::reshuffled, seed};
  RowDraws draws_{seed};
  std::uint64_t draw_ = 0, first_size_ = 4;  // ceil of the cube root of 50
  Vector estimate_, residual_, pull_, old_x_;
};

Iterate start_of(const StandardForm& form) {
  const Vector x = vec(0.1, -1, 0.5, 0, 0.05);
  Iterate start;
  start.x = form.to_standard(x, (rows * x).cwiseMax(lower).cwiseMin(upper));
  start.z = start.x + random_vector(n + slacks, 5, 0.3);
  start.y = random_vector(m, 6);
  return start;
}

// The largest difference between the library's loop and the literal one over all steps.
template <class Step>
double difference(const char* name, Rows_ kind, const Step& step, Mutant mutant = Mutant::none,
                  Index batch = 1, double dual_bound = infinity, int* resets = nullptr) {
  const Problem problem = make_problem(kind);
  Scaling scaling;
  scaling.metric = MetricKind::identity;
  const StandardForm form(problem, scaling);
  const Iterate start = start_of(form);
  const MethodSettings settings{
      .batch = batch, .seed = seed, .dual_bound = dual_bound, .literal_draws = true};
  const Stage stage{p, {}, steps};
  const auto method = find_algorithm(name)->create(form, stage, start, settings);
  Paper paper(kind, start, batch, mutant);
  double largest = 0;
  for (std::uint64_t t = 0; t < steps; ++t) {
    method->run(stage, t, 1);
    step(paper);
    const Iterate now = method->snapshot();
    largest =
        std::max({largest, (now.x - paper.x).norm(), (now.y - paper.y).norm(), (now.z - paper.z).norm()});
  }
  EXPECT_LT(paper.x.norm(), 10) << "the test is about a sound run";
  if (resets) *resets = paper.resets;
  return largest;
}

void one(Paper& paper) { paper.algorithm_1(); }
void three(Paper& paper) { paper.algorithm_3(); }

TEST(Literal, Algorithm1) {
  EXPECT_LE(difference("smoothed", Rows_::known, one), 1e-12);
  EXPECT_LE(difference("smoothed", Rows_::known, one, Mutant::none, 3), 1e-12) << "a batch of three";
  EXPECT_GT(difference("smoothed", Rows_::known, one, Mutant::z_from_new_x), 1e-3);
  EXPECT_GT(difference("smoothed", Rows_::known, one, Mutant::old_multipliers), 1e-3);
  EXPECT_GT(difference("smoothed", Rows_::known, one, Mutant::no_penalty), 1e-3);
}

TEST(Literal, Algorithm2) {
  const auto two = [](Paper& paper) { paper.algorithm_2(infinity); };
  EXPECT_LE(difference("safeguarded", Rows_::drawn, two), 1e-12);
  EXPECT_GT(difference("safeguarded", Rows_::drawn, two, Mutant::z_from_new_x), 1e-3);
  EXPECT_GT(difference("safeguarded", Rows_::drawn, two, Mutant::other_sample), 1e-3)
      << "zeta' used twice is biased";
  int resets = 0;
  const auto guarded = [](Paper& paper) { paper.algorithm_2(2.2); };
  EXPECT_LE(difference("safeguarded", Rows_::drawn, guarded, Mutant::none, 1, 2.2, &resets), 1e-12);
  EXPECT_GT(resets, 0) << "the safeguard must have acted";
}

TEST(Literal, Algorithm3) {
  EXPECT_LE(difference("storm", Rows_::known, three), 1e-12);
  EXPECT_GT(difference("storm", Rows_::known, three, Mutant::z_from_new_x), 1e-3);
  EXPECT_GT(difference("storm", Rows_::known, three, Mutant::other_sample), 1e-3);
}

TEST(Literal, Algorithm4) {
  const auto four = [](Paper& paper) { paper.algorithm_4(infinity); };
  EXPECT_LE(difference("safeguarded-storm", Rows_::drawn, four), 1e-12);
  EXPECT_GT(difference("safeguarded-storm", Rows_::drawn, four, Mutant::other_sample), 1e-3);
  EXPECT_GT(difference("safeguarded-storm", Rows_::drawn, four, Mutant::z_from_new_x), 1e-3);
}

}  // namespace
}  // namespace bridle
