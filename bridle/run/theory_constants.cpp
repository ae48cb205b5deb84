#include "bridle/run/theory_constants.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "bridle/core/error.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/params/constants.hpp"
#include "bridle/params/curvature.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

namespace bridle {
namespace {

constexpr Index most_rows = 2000;  // whose singular values are computed
const std::string given = "given";

StandardForm literal_form(const Problem& problem) {
  Scaling literal;
  literal.metric = MetricKind::identity;
  return {problem, literal};
}

// Singular values of the loop's matrix, (A, -I on inequality rows).
struct RowSpectrum {
  double largest = 0;                       // or a bound of it, where there are many rows
  std::optional<double> smallest_positive;  // where it was computed
};

// |A|^2 <= |A|_1 |A|_inf, and <= the sum of all squares.
double bound_of_norm(const StandardForm& form, const Vector& slacks) {
  const SparseRows& matrix = form.matrix();
  Vector columns = Vector::Zero(form.variables()), rows = slacks;
  for (Index i = 0; i < form.rows(); ++i)
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) {
      columns[it.col()] += std::abs(it.value());
      rows[i] += std::abs(it.value());
    }
  const double widest = std::max(columns.size() ? columns.maxCoeff() : 0.0, slacks.maxCoeff());
  return std::sqrt(std::min(widest * rows.maxCoeff(), matrix.squaredNorm() + slacks.squaredNorm()));
}

RowSpectrum row_spectrum(const StandardForm& form) {
  if (form.rows() == 0) return {0, 1};
  Vector slacks = Vector::Zero(form.rows());
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k)
    slacks[form.slack_rows()[k]] = std::abs(form.slack_coefficient()[static_cast<Index>(k)]);
  if (form.rows() > most_rows) return {bound_of_norm(form, slacks), {}};
  Matrix gram = Matrix(form.matrix() * SparseRows(form.matrix().transpose()));
  gram.diagonal() += slacks.cwiseAbs2();
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  RowSpectrum out{std::sqrt(values.maxCoeff()), std::sqrt(values.maxCoeff())};
  for (const double v : values)
    if (v > 1e-12 * values.maxCoeff()) out.smallest_positive = std::min(*out.smallest_positive, std::sqrt(v));
  return out;
}

// The objective's own bound.
std::optional<Reason> computed_smoothness(const Problem& problem) {
  const auto bound = problem.objective().smoothness();
  if (!bound) return {};
  return Reason{"L_f", *bound, "computed: the objective's own bound"};
}

// E|grad f(x, xi) - grad f(x', xi)|^2 <= L_0^2 |x - x'|^2.
std::optional<Reason> computed_mean_smoothness(const Problem& problem, double smoothness) {
  const AnyObjective& f = problem.objective();
  if (f.deterministic()) return Reason{"L_0", smoothness, "computed: f has no noise, and it is L_f"};
  if (const Quadratic* quadratic = f.as_quadratic())
    return Reason{"L_0", std::hypot(smoothness, quadratic->noise().multiplicative),
                  "computed: the root of L_f^2 and the square of the noise that is proportional to x"};
  const LinearModel* model = f.as_linear_model();
  if (!model) return {};
  return Reason{"L_0", std::sqrt(model->mean_squared_smoothness()),
                "computed: the root mean square of h |a_i|^2 + ridge over the samples"};
}

bool is_whole_space(const StandardForm& form) {
  const auto bounds = form.variable_bounds();
  return form.slack_rows().empty() && bounds && (bounds->lower.array() == -infinity).all() &&
         (bounds->upper.array() == infinity).all();
}

[[noreturn]] void refuse(const std::string& constant, const std::string& why, const std::string& option) {
  throw InputError("the theory's parameters need " + constant + ", " + why + ": give it with " + option);
}

// sbar for X = R^n; for any other a Hoffman constant that nobody computes.
Reason error_bound(const StandardForm& form, const RowSpectrum& spectrum, const TheoryConstants& c) {
  if (form.rows() == 0) return {"sbar", 0, "computed: there are no rows"};
  const std::string option = "--constants sbar=S",
                    what = "sbar of the error bound |x*(y,z) - xbar(z)| <= sbar |A x*(y,z) - b|";
  if (!spectrum.smallest_positive)
    refuse(what,
           formatted(
               "which takes the singular values of %lld rows, and those of more than %lld are not computed",
               static_cast<long long>(form.rows()), static_cast<long long>(most_rows)),
           option);
  const double value = unconstrained_error_bound(c.smoothness, theory_mu(c), *spectrum.smallest_positive);
  if (!is_whole_space(form))
    refuse(
        what,
        formatted("which for bounds and inequality rows is a Hoffman constant and not computed (for X = R^n "
                  "it would be %.4g)",
                  value),
        option);
  return {"sbar", value, "computed: (L_f + mu)/((mu - L_f) sigma_min+(A)), for X = R^n"};
}

// What the user knows comes first.
double take(const std::optional<double>& known, const char* symbol, Reasons& origins,
            const std::function<Reason()>& otherwise) {
  origins.push_back(known ? Reason{symbol, *known, given} : otherwise());
  return origins.back().value;
}

ConstantsWithOrigin all_given(const TheoryConstants& c) {
  return {c,
          {{"L_f", c.smoothness, given},
           {"L_0", c.mean_smoothness, given},
           {"|A|", c.row_norm, given},
           {"sbar", c.error_bound, given},
           {"rho", c.rho, given}}};
}

KnownConstants known_by(const SolveOptions& options) {
  KnownConstants known = options.known;
  if (options.curvature) known.smoothness = options.curvature;
  return known;
}

Reason norm_of_rows(const StandardForm& form, const RowSpectrum& spectrum) {
  return {"|A|", spectrum.largest,
          form.rows() > most_rows ? "computed: a bound of it, slack columns included"
                                  : "computed, slack columns included"};
}

}  // namespace

ConstantsWithOrigin theory_constants(const Problem& problem, const SolveOptions& options,
                                     const AlgorithmDescription& algorithm) {
  if (options.constants) return all_given(*options.constants);
  const KnownConstants known = known_by(options);
  ConstantsWithOrigin out;
  TheoryConstants& c = out.constants;
  c.smoothness = take(known.smoothness, "L_f", out.origins, [&] {
    if (auto computed = computed_smoothness(problem)) return *computed;
    refuse("L_f, a Lipschitz constant of grad f", "which this objective does not tell", "--curvature L");
  });
  if (algorithm.carries_estimate)
    c.mean_smoothness = take(known.mean_smoothness, "L_0", out.origins, [&] {
      if (auto computed = computed_mean_smoothness(problem, c.smoothness)) return *computed;
      refuse("L_0, the mean-square Lipschitz constant of single samples' gradients",
             "which this objective does not tell", "--constants L_0=L");
    });
  const StandardForm form = literal_form(problem);
  RowSpectrum spectrum;
  if (!known.row_norm || !known.error_bound) spectrum = row_spectrum(form);
  c.row_norm = take(known.row_norm, "|A|", out.origins, [&] { return norm_of_rows(form, spectrum); });
  c.error_bound =
      take(known.error_bound, "sbar", out.origins, [&] { return error_bound(form, spectrum, c); });
  c.rho = take(known.rho, "rho", out.origins, [] { return Reason{"rho", 1, "chosen: free in the theory"}; });
  return out;
}

ConstantsWithOrigin estimated_constants(const Problem& problem, const SolveOptions& options) {
  if (options.constants) return all_given(*options.constants);
  const KnownConstants known = known_by(options);
  ConstantsWithOrigin out;
  TheoryConstants& c = out.constants;
  out.origins.push_back(known_or_measured_curvature(problem, options, out.gradients));
  c.smoothness = out.origins.back().value;
  c.mean_smoothness = take(known.mean_smoothness, "L_0", out.origins, [&] {
    return Reason{"L_0", c.smoothness, "estimated: L_f"};
  });
  const StandardForm form = literal_form(problem);
  const RowSpectrum spectrum = row_spectrum(form);
  c.row_norm = take(known.row_norm, "|A|", out.origins, [&] { return norm_of_rows(form, spectrum); });
  c.error_bound = take(known.error_bound, "sbar", out.origins, [&] {
    return Reason{
        "sbar", unconstrained_error_bound(c.smoothness, theory_mu(c), spectrum.smallest_positive.value_or(1)),
        "estimated: its value for X = R^n"};
  });
  c.rho = take(known.rho, "rho", out.origins, [] { return Reason{"rho", 1, "chosen: free in the theory"}; });
  return out;
}

Reason known_or_measured_curvature(const Problem& problem, const SolveOptions& options, Index& gradients) {
  if (const auto known = known_by(options).smoothness) return {"L_f", *known, given};
  const auto computed = computed_smoothness(problem);
  if (computed && computed->value > 0) return *computed;
  const StandardForm form = literal_form(problem);
  const Vector start = problem.starting_point(), activity = problem.rows().matrix * start;
  const CurvatureEstimate measured =
      estimate_curvature(form, form.to_standard(start, activity), 16, 8, options.seed, 0);
  gradients += measured.gradients;
  if (!(measured.curvature > 0))  // any L is one of a linear objective, but steps have a length
    return {"L_f",
            measured.gradient_norm > 0 ? linear_curvature * measured.gradient_norm / (1 + start.norm()) : 1.0,
            "chosen: f is linear, a hundred steps of the gradient for what x is long"};
  return {"L_f", 2 * measured.curvature, "estimated: twice a power iteration at the start"};
}

}  // namespace bridle
