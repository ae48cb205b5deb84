#include "bridle/certify/certify.hpp"

#include <cmath>

#include "bridle/certify/evaluation.hpp"
#include "bridle/certify/implied_bounds.hpp"
#include "bridle/certify/multipliers.hpp"
#include "bridle/certify/stationarity.hpp"
#include "bridle/core/error.hpp"

namespace bridle {

struct Judge::Knowledge {
  const Problem& problem;
  CertifyOptions options;
  SetShape shape;
  ProblemScales scales;
  bool convex;
  Bounds left;  // by rows and X of every variable, where that counts
};

namespace {

// The rows as they are at x: what a_i'x is for a linear row, c_i(x) is for a smooth one, and its Jacobian row
// stands in the matrix. Bounds stay the user's.
struct RowsAt {
  Problem problem;
  Activity activity;
};

RowsAt rows_at(const Problem& problem, const Vector& x) {
  const Activity linear = activity_of(problem.rows().matrix, x);
  if (!problem.has_smooth_rows()) return {problem, linear};
  SmoothPoint at = problem.smooth_rows().at(x);
  Activity all(problem.row_count());
  all << linear, at.value.cast<long double>();
  if (!at.finite()) all.setConstant(std::nan(""));
  at.value.setZero();  // linear rows around 0 that are 0 there have the user's bounds
  if (!all.cast<double>().allFinite()) at.jacobian.setZero();
  return {problem.linearised(Vector::Zero(x.size()), at), all};
}

void measure_feasibility(const Problem& problem, const SetShape& shape, const PointScales& scales,
                         const Vector& x, const Activity& activity, Certificate& out) {
  const Rows& rows = problem.rows();
  out.feasibility = out.set_distance = {0, 0};
  for (Index i = 0; i < rows.count(); ++i) {
    const double bound = activity[i] < rows.lower[i] ? rows.lower[i] : rows.upper[i];
    if (activity[i] >= rows.lower[i] && activity[i] <= rows.upper[i]) continue;
    const auto broken = static_cast<double>(std::abs(activity[i] - bound));
    out.feasibility.raise(broken, ratio(broken, scales.row(i, bound)),
                          rows.names[static_cast<std::size_t>(i)]);
  }
  Vector inside = x;
  problem.set().project(inside);
  // A variable on its own was moved to a bound. A block is measured against the largest of its variables.
  Vector scale(x.size());
  for (Index j = 0; j < x.size(); ++j) scale[j] = scales.variable(j, inside[j], x[j]);
  for (const auto& block : shape.blocks) {
    double largest = 0;
    for (const Index j : block) largest = std::max({largest, std::abs(x[j]), std::abs(inside[j])});
    for (const Index j : block) scale[j] = distance_scale(0, largest, scales.size(j));
  }
  for (Index j = 0; j < x.size(); ++j)
    if (x[j] != inside[j])
      out.set_distance.raise(std::abs(x[j] - inside[j]), ratio(std::abs(x[j] - inside[j]), scale[j]),
                             problem.variable_names()[static_cast<std::size_t>(j)]);
}

// Fits multipliers to the bounds that count as touched, for one width after another.
void improve(const Problem& problem, const SetShape& shape, const PointScales& scales,
             const StationarityMeasure& measure, const Evaluation& at, const Vector& x,
             const Activity& activity, Certificate& out) {
  const Rows& rows = problem.rows();
  const Vector gradient = at.gradient.cast<double>();
  const double worth = scales.worth(Vector::Zero(rows.count()));
  Vector fitted = out.multipliers;
  MultiplierBounds previous;
  for (const double width : {1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
    const auto touched = [&](Index i, double bound) {
      return std::abs(activity[i] - bound) <= width * (out.absolute ? 1 : scales.row(i, bound));
    };
    MultiplierBounds bounds = multiplier_bounds(rows, activity.cast<double>(), touched);
    Vector anchor = x;
    problem.set().project(anchor);
    for (Index j = 0; j < x.size(); ++j)
      for (const double bound : {shape.bounds.lower[j], shape.bounds.upper[j]}) {
        if (!is_finite(bound)) continue;
        const double away = std::abs(anchor[j] - bound);
        // A way that is short for the variable may still be worth much: then rows have to hold it.
        const bool touches = out.absolute ? away <= width
                                          : away <= width * scales.variable(j, bound, x[j]) &&
                                                std::abs(gradient[j]) * away <= width * worth;
        if (touches) anchor[j] = bound;
      }
    if (previous.lower.size() && bounds.lower == previous.lower && bounds.upper == previous.upper &&
        anchor == previous.anchor)
      continue;
    const Vector weights =
        out.absolute ? Vector(Vector::Ones(x.size())) : fitting_weights(scales.stationarity());
    fitted = fit_multipliers(problem, anchor, gradient, weights, bounds, fitted);
    previous = std::move(bounds);
    previous.anchor = anchor;
    if (!fitted.allFinite()) break;
    Certificate candidate = out;
    measure.fill(fitted, candidate);
    if (candidate.error() < out.error()) {
      out = candidate;
      out.multipliers_improved = true;
    }
  }
}

// E[A] and E[b] are not known: judge the problem whose rows are the mean over a large batch of fresh draws.
// The error of that mean at x is, row by row, asymptotically normal; 95% of the time its norm is below
// sqrt(v)(1 + 1.645), v the sum of the rows' variances.
Certificate certify_by_row_samples(const Problem& problem, const Vector& x, const Vector& multipliers,
                                   const CertifyOptions& options) {
  const AnyStochasticRows& stochastic = *problem.stochastic_rows();
  Vector spread;
  const MeanRows mean =
      estimate_mean(stochastic, options.batch, Stream(options.seed, Purpose::certificate), &x, &spread);
  const Rows& rows = problem.rows();
  const Index begin = problem.first_stochastic_row(), count = stochastic.count();
  SparseRows matrix(rows.count(), problem.dimension());
  matrix.reserve(rows.matrix.nonZeros() + mean.matrix.nonZeros());
  for (Index i = 0; i < rows.count(); ++i) {
    matrix.startVec(i);
    for (SparseRows::InnerIterator it(i < begin ? rows.matrix : mean.matrix, i < begin ? i : i - begin); it;
         ++it)
      matrix.insertBack(i, it.col()) = it.value();
  }
  matrix.finalize();
  // The rows of the problem carry its own estimate of E[b] in their bounds: exchange it for the judge's.
  Vector lower = rows.lower, upper = rows.upper;
  lower.segment(begin, count) += mean.right - problem.expected_right();
  upper.segment(begin, count) += mean.right - problem.expected_right();
  CertifyOptions exact = options;
  exact.rows_are_exact = true;
  Certificate out = certify(problem.with_rows(matrix, lower, upper), x, multipliers, exact);
  const double width = (1 + 1.645) / std::sqrt(static_cast<double>(options.batch));
  Vector relative = spread;
  for (Index k = 0; k < count; ++k) {
    double sum = 0;
    for (SparseRows::InnerIterator it(matrix, begin + k); it; ++it) sum += std::abs(it.value() * x[it.col()]);
    for (const double bound : {lower[begin + k], upper[begin + k]})
      if (is_finite(bound)) sum = std::max(sum, std::abs(bound));
    relative[k] = ratio(spread[k], sum);
  }
  out.feasibility_halfwidth = {width * spread.norm(), width * relative.norm()};
  return out;
}

}  // namespace

Judge::Judge(const Problem& problem, const CertifyOptions& options) {
  Knowledge out{problem,
                options,
                problem.set().shape(),
                ProblemScales::of(problem, options.batch, options.seed),
                problem.objective().convex() && !problem.has_smooth_rows(),
                {}};
  const bool counts = out.convex && (out.scales.curvature.array() == 0).any();
  out.left = counts ? implied_bounds(problem.rows(), out.shape.bounds) : out.shape.bounds;
  self_ = std::make_unique<const Knowledge>(std::move(out));
}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;

Certificate Judge::operator()(const Vector& x, const Vector& multipliers) const {
  const auto& [stated, options, shape, known, convex, left] = *self_;
  if (x.size() != stated.dimension())
    throw InputError("certify: the point has " + std::to_string(x.size()) + " entries but the problem has " +
                     std::to_string(stated.dimension()) + " variables");
  if (multipliers.size() != stated.row_count())
    throw InputError("certify: " + std::to_string(multipliers.size()) + " multipliers but the problem has " +
                     std::to_string(stated.row_count()) + " rows");
  Certificate out;
  out.absolute = options.absolute;
  out.convex = convex;
  out.multipliers = multipliers;
  if (!x.allFinite() || !multipliers.allFinite()) return out;  // every figure stays infinite
  if (stated.stochastic_rows() && !options.rows_are_exact && !stated.stochastic_rows()->mean())
    return certify_by_row_samples(stated, x, multipliers, options);

  const Evaluation at = evaluate(stated.objective(), x, options.batch, options.seed);
  out.exact = at.exact();
  out.gradients = at.gradients;
  out.objective = at.value;
  out.objective_halfwidth = at.value_halfwidth;
  const auto [problem, activity] = rows_at(stated, x);
  const bool has_value = problem.objective().has_value();
  if (!at.has_gradient() || !activity.cast<double>().allFinite() || (has_value && !std::isfinite(at.value)))
    return out;
  const auto nearer =
      known.away_from_poles(stated.objective(), x, at, options.batch, options.seed, out.gradients);
  const PointScales scales(problem, shape, nearer ? *nearer : known, x, at, activity);
  if (!scales.finite()) return out;
  out.sound = true;

  measure_feasibility(problem, shape, scales, x, activity, out);
  const StationarityMeasure measure(problem, shape, left, scales, x, activity, at.gradient, convex);
  measure.fill(multipliers, out);
  out.stationarity_halfwidth = {at.halfwidth(Vector::Ones(x.size())), at.halfwidth(scales.stationarity())};
  if (options.improve_multipliers && problem.rows().count() > 0)
    improve(problem, shape, scales, measure, at, x, activity, out);
  return out;
}

Certificate certify(const Problem& problem, const Vector& x, const Vector& multipliers,
                    const CertifyOptions& options) {
  return Judge(problem, options)(x, multipliers);
}

}  // namespace bridle
