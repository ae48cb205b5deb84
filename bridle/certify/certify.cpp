#include "bridle/certify/certify.hpp"

#include <cmath>
#include <vector>

#include "bridle/certify/multipliers.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/threads.hpp"

namespace bridle {
namespace {

// grad f(x) and f(x), exactly or from an independent batch.
struct Oracle {
  Vector gradient;
  double gradient_halfwidth = 0;
  double value = std::nan("");
  double value_halfwidth = 0;
  bool exact = true;
  Index gradients = 0;
};

Oracle evaluate_exactly(const AnyObjective& objective, const Vector& x) {
  Oracle out;
  out.gradient.resize(x.size());
  objective.mean_gradient(x, out.gradient);
  out.value = objective.mean_value(x).value_or(std::nan(""));
  out.gradients = objective.sample_count() == endless ? 1 : objective.sample_count();
  return out;
}

// Sums over samples of the judge's batch.
struct BatchSums {
  Vector gradient;
  double squares = 0, values = 0, value_squares = 0;
  bool has_value = true;

  BatchSums& operator+=(const BatchSums& other) {
    gradient += other.gradient;
    squares += other.squares;
    values += other.values;
    value_squares += other.value_squares;
    has_value = has_value && other.has_value;
    return *this;
  }
};

// Mean over the batch. The error of the mean gradient has E|error|^2 = v/B, v the trace of the covariance,
// and by Gaussian concentration is below sqrt(v/B) (1 + 1.645) with probability 0.95. Projections onto cones
// do not expand, so the same width holds for the distance to stationarity.
Oracle evaluate_by_samples(const AnyObjective& objective, const Vector& x, const CertifyOptions& options) {
  Oracle out;
  out.exact = false;
  out.gradients = options.batch;
  const Stream stream(options.seed, Purpose::certificate);
  const auto count = static_cast<double>(options.batch);
  BatchSums zero;
  zero.gradient = Vector::Zero(x.size());
  const BatchSums sums = sum_over_chunks(options.batch, objective.thread_safe() ? threads_in_use() : 1, zero,
                                         [&](Index first, Index last, BatchSums& part) {
                                           Vector one(x.size());
                                           for (Index k = first; k < last; ++k) {
                                             const Sample sample =
                                                 stream.bits(static_cast<std::uint64_t>(k)).first;
                                             objective.gradient(x, sample, one);
                                             part.gradient += one;
                                             part.squares += one.squaredNorm();
                                             const auto value = objective.value(x, sample);
                                             part.has_value = part.has_value && value;
                                             part.values += value.value_or(0);
                                             part.value_squares += value.value_or(0) * value.value_or(0);
                                           }
                                         });
  out.gradient = sums.gradient / count;
  const double variance = std::max(0.0, sums.squares / count - out.gradient.squaredNorm());
  out.gradient_halfwidth = (1 + 1.645) * std::sqrt(variance / count);
  if (sums.has_value) {
    out.value = sums.values / count;
    out.value_halfwidth =
        1.96 * std::sqrt(std::max(0.0, sums.value_squares / count - out.value * out.value) / count);
  }
  if (const auto mean = objective.mean_value(x)) {
    out.value = *mean;
    out.value_halfwidth = 0;
  }
  return out;
}

double interval_distance(double v, double lower, double upper) {
  return std::max({0.0, lower - v, v - upper});
}

void measure_feasibility(const Problem& problem, const Vector& x, const Vector& activity, Certificate& out) {
  const Rows& rows = problem.rows();
  Vector projected = x;
  problem.set().project(projected);
  out.set_distance = (x - projected).norm();
  out.point_scale = 1 + x.norm();

  double squares = 0, active_bounds = 0;
  out.max_violation = 0;
  for (Index i = 0; i < rows.count(); ++i) {
    const double violation = interval_distance(activity[i], rows.lower[i], rows.upper[i]);
    squares += violation * violation;
    if (violation > out.max_violation) {
      out.max_violation = violation;
      out.worst_row = rows.names[static_cast<std::size_t>(i)];
    }
    // The bound nearest to the activity, when it is touched or broken, is an active one.
    const double bound =
        activity[i] - rows.lower[i] < rows.upper[i] - activity[i] ? rows.lower[i] : rows.upper[i];
    if (is_finite(bound) && (violation > 0 || std::abs(activity[i] - bound) <= 1e-6 * (1 + std::abs(bound))))
      active_bounds += bound * bound;
  }
  out.feasibility = std::sqrt(squares);
  out.feasibility_scale = 1 + std::max(activity.norm(), std::sqrt(active_bounds));
}

// Charges every multiplier either to complementarity (its gap) or to stationarity (itself). A row is charged
// by its gap when gap/|y| is below a threshold; every threshold is tried, and the smallest error kept.
void measure_stationarity(const Problem& problem, const Vector& x, const Vector& activity,
                          const Oracle& oracle, const Vector& y, Certificate& out) {
  const Rows& rows = problem.rows();
  const Vector pull = rows.matrix.transpose() * y;
  Vector anchor = x;
  problem.set().project(anchor);
  const double distance = problem.set().normal_cone_distance(anchor, oracle.gradient + pull);
  out.stationarity_scale = 1 + std::max(oracle.gradient.norm(), pull.norm());
  out.stationarity_halfwidth = oracle.gradient_halfwidth;

  struct Charge {
    double gap, weight;
  };
  std::vector<Charge> charges;
  for (Index i = 0; i < rows.count(); ++i) {
    if (y[i] == 0 || rows.is_equality(i)) continue;
    const double bound = y[i] > 0 ? rows.upper[i] : rows.lower[i];
    const double gap = std::max(0.0, y[i] > 0 ? bound - activity[i] : activity[i] - bound);
    if (gap > 0) charges.push_back({gap, std::abs(y[i])});
  }
  std::sort(charges.begin(), charges.end(),
            [](const Charge& a, const Charge& b) { return a.gap * b.weight < b.gap * a.weight; });

  // Suffix sums: the multipliers dropped when only the first k rows are charged by their gap.
  std::vector<double> dropped(charges.size() + 1, 0.0);
  for (std::size_t k = charges.size(); k-- > 0;)
    dropped[k] = dropped[k + 1] + charges[k].weight * charges[k].weight;
  double gaps = 0, best = infinity;
  for (std::size_t k = 0; k <= charges.size(); ++k) {
    const double stationarity = std::sqrt(distance * distance + dropped[k]);
    const double complementarity = std::sqrt(gaps);
    const double error =
        std::max(stationarity / out.stationarity_scale, complementarity / out.feasibility_scale);
    if (error < best || k == 0) {
      best = error;
      out.stationarity = stationarity;
      out.complementarity = complementarity;
    }
    if (k < charges.size()) gaps += charges[k].gap * charges[k].gap;
  }
  out.multipliers = y;
}

}  // namespace

namespace {

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
  Certificate out = certify(problem.with_rows(matrix, lower, upper), x, multipliers,
                            {options.improve_multipliers, options.batch, options.seed, true});
  out.feasibility_halfwidth = (1 + 1.645) * spread.norm() / std::sqrt(static_cast<double>(options.batch));
  return out;
}

}  // namespace

Certificate certify(const Problem& problem, const Vector& x, const Vector& multipliers,
                    const CertifyOptions& options) {
  if (x.size() != problem.dimension())
    throw InputError("certify: the point has " + std::to_string(x.size()) + " entries but the problem has " +
                     std::to_string(problem.dimension()) + " variables");
  if (multipliers.size() != problem.rows().count())
    throw InputError("certify: " + std::to_string(multipliers.size()) + " multipliers but the problem has " +
                     std::to_string(problem.rows().count()) + " rows");
  Certificate out;
  out.multipliers = multipliers;
  if (!x.allFinite() || !multipliers.allFinite()) return out;  // every figure stays infinite
  if (problem.stochastic_rows() && !options.rows_are_exact && !problem.stochastic_rows()->mean())
    return certify_by_row_samples(problem, x, multipliers, options);

  const Oracle oracle = problem.objective().has_exact_mean()
                            ? evaluate_exactly(problem.objective(), x)
                            : evaluate_by_samples(problem.objective(), x, options);
  out.exact = oracle.exact;
  out.gradients = oracle.gradients;
  out.objective = oracle.value;
  out.objective_halfwidth = oracle.value_halfwidth;
  if (!oracle.gradient.allFinite()) return out;

  const Vector activity = problem.rows().matrix * x;
  measure_feasibility(problem, x, activity, out);
  measure_stationarity(problem, x, activity, oracle, multipliers, out);
  if (!options.improve_multipliers || problem.rows().count() == 0) return out;

  Vector anchor = x;
  problem.set().project(anchor);
  Vector fitted = multipliers;
  MultiplierBounds previous;
  for (const double width : {1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
    MultiplierBounds bounds = multiplier_bounds(problem.rows(), activity, width);
    if (previous.lower.size() && bounds.lower == previous.lower && bounds.upper == previous.upper) continue;
    fitted = fit_multipliers(problem, anchor, oracle.gradient, bounds, fitted);
    previous = std::move(bounds);
    if (!fitted.allFinite()) break;
    Certificate candidate = out;
    measure_stationarity(problem, x, activity, oracle, fitted, candidate);
    if (candidate.error() < out.error()) {
      out = candidate;
      out.multipliers_improved = true;
    }
  }
  return out;
}

}  // namespace bridle
