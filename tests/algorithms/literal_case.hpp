// What the tests that write loops out once more share: a small problem with dense matrices and explicit slack
// columns, on the user's own rows (identity metric), and the walk beside the library's loop.
#pragma once

#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/properties.hpp"

namespace bridle::literal {

using test::random_vector;
using test::vec;

constexpr Index n = 5, m = 4;
constexpr std::uint64_t seed = 42, steps = 50;

// Rows 0 and 2 are equalities, 1 and 3 inequalities with slacks in [-1, 1] and [0.2, inf].
inline const Matrix rows = test::random_matrix(m, n, 1);
inline const Vector lower = vec(0.5, -1, -0.3, 0.2), upper = vec(0.5, 1, -0.3, infinity);

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

enum class Rows_ {
  known,      // two equalities, two inequalities, X a box
  drawn,      // the same through draws
  equalities  // all four with the lower bounds (the upper one of row 1) as right-hand side, X = R^n
};

inline Problem make_problem(Rows_ kind) {
  // Both kinds of noise, so that gradients at two points and one sample do not simply cancel.
  Problem problem(Quadratic(test::sparse(test::with_spectrum(vec(6, 3, 1, -1, -4), 2)), random_vector(n, 3),
                            0, {.additive = 1, .multiplicative = 0.5}));
  if (kind == Rows_::equalities) {
    problem.subject_to(rows, lower, lower);
    return problem;
  }
  problem.within(Box(vec(-0.5, -infinity, 0, -2, -0.1), vec(0.5, 0.3, infinity, 2, 0.1)));
  if (kind == Rows_::known)
    problem.subject_to(rows, lower, upper);
  else
    problem.subject_to_expected(NoisyRows{}, lower, upper);
  return problem;
}

inline StandardForm make_form(Rows_ kind) {
  Scaling scaling;
  scaling.metric = MetricKind::identity;
  return {make_problem(kind), scaling};
}

inline Iterate start_of(const StandardForm& form) {
  const Vector x = vec(0.1, -1, 0.5, 0, 0.05);
  Iterate start;
  start.x = form.to_standard(x, (rows * x).cwiseMax(lower).cwiseMin(upper));
  start.z = start.x + random_vector(form.dimension(), 5, 0.3);
  start.y = random_vector(m, 6);
  return start;
}

// Everything in the paper's variable (x, s): what a pseudo-code may ask for.
class Loop {
 public:
  Loop(Rows_ kind, const Iterate& start, const Parameters& parameters)
      : x(start.x), y(start.y), z(start.z), p(parameters), kind_(kind), problem_(make_problem(kind)) {}

  Vector x, y, z;
  Parameters p;

  Index size() const { return x.size(); }
  // (A, -slack columns) and b; an inequality reads a'x - s = 0.
  std::pair<Matrix, Vector> expected() const { return with_slacks(rows, right_hand_side()); }
  std::pair<Matrix, Vector> drawn(Sample zeta) const {
    RowSample sample;
    NoisyRows{}.draw(zeta, sample);
    Matrix matrix = Matrix::Zero(m, n);
    Vector right = right_hand_side();
    for (const auto& row : sample.rows) {
      right[row.row] += row.right;
      for (std::size_t e = row.begin; e < row.end; ++e) matrix(row.row, sample.columns[e]) = sample.values[e];
    }
    return with_slacks(matrix, right);
  }
  Sample next_sample() { return sampler_(draw_++); }
  std::uint64_t samples_drawn() const { return draw_; }
  const RowDraws& draws() const { return draws_; }
  Vector gradient(const Vector& at, Sample sample) const {
    Vector g(n), out = Vector::Zero(size());
    problem_.objective().gradient(at.head(n), sample, g);
    out.head(n) = g;
    return out;
  }
  Vector full_gradient(const Vector& at) const {
    Vector g(n), out = Vector::Zero(size());
    problem_.objective().mean_gradient(at.head(n), g);
    out.head(n) = g;
    return out;
  }
  // The mean of `count` sample gradients
  Vector batch_gradient(const Vector& at, std::uint64_t count) {
    Vector out = Vector::Zero(size());
    for (std::uint64_t k = 0; k < count; ++k) out += gradient(at, next_sample()) / static_cast<double>(count);
    return out;
  }
  Vector projected(Vector v) const {
    if (kind_ == Rows_::equalities) return v;
    const auto box = *problem_.set().bounds();
    v.head(n) = v.head(n).cwiseMax(box.lower).cwiseMin(box.upper);
    v[n] = std::clamp(v[n], lower[1], upper[1]);
    v[n + 1] = std::clamp(v[n + 1], lower[3], upper[3]);
    return v;
  }

 private:
  Vector right_hand_side() const { return kind_ == Rows_::equalities ? lower : vec(0.5, 0, -0.3, 0); }
  std::pair<Matrix, Vector> with_slacks(const Matrix& matrix, const Vector& right) const {
    Matrix all = Matrix::Zero(m, size());
    all.leftCols(n) = matrix;
    if (kind_ != Rows_::equalities) all(1, n) = all(3, n + 1) = -1;
    return {all, right};
  }

  Rows_ kind_;
  Problem problem_;
  Sampler sampler_{endless, Sampling::reshuffled, seed};
  RowDraws draws_{seed};
  std::uint64_t draw_ = 0;
};

constexpr std::uint64_t first_size = 4;  // ceil of the cube root of the number of steps

// The largest difference between the library's loop and the literal one, `step(loop)`, over all steps.
template <class Paper, class Step>
double largest_difference(const char* name, Rows_ kind, const Parameters& p, Paper& paper, const Step& step,
                          const MethodSettings& settings = {.seed = seed, .literal_draws = true}) {
  const StandardForm form = make_form(kind);
  const Stage stage{p, {}, steps};
  const auto method = find_algorithm(name)->create(form, stage, start_of(form), settings);
  double largest = 0;
  for (std::uint64_t t = 0; t < steps; ++t) {
    method->run(stage, t, 1);
    step(paper);
    const Iterate now = method->snapshot();
    largest =
        std::max({largest, (now.x - paper.x).norm(), (now.y - paper.y).norm(), (now.z - paper.z).norm()});
  }
  EXPECT_LT(paper.x.norm(), 10) << "the test is about a sound run";
  return largest;
}

}  // namespace bridle::literal
