#include "bridle/run/theory_constants.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "bridle/params/curvature.hpp"

namespace bridle {
namespace {

// Singular values of the standard form's matrix (A, -I on inequality rows): exact for up to 2,000 rows.
struct RowSpectrum {
  double largest = 0, smallest_positive = 1;
};

RowSpectrum row_spectrum(const Problem& problem) {
  const Rows& rows = problem.rows();
  if (rows.count() == 0 || rows.count() > 2000) return {std::sqrt(rows.matrix.squaredNorm()), 1};
  Matrix gram = Matrix(rows.matrix * SparseRows(rows.matrix.transpose()));
  for (Index i = 0; i < rows.count(); ++i)
    if (!rows.is_equality(i)) gram(i, i) += 1;
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  RowSpectrum out{std::sqrt(values.maxCoeff()), std::sqrt(values.maxCoeff())};
  for (const double v : values)
    if (v > 1e-12 * values.maxCoeff()) out.smallest_positive = std::min(out.smallest_positive, std::sqrt(v));
  return out;
}

}  // namespace

ConstantsWithOrigin theory_constants(const Problem& problem, const SolveOptions& options) {
  if (options.constants) {
    const TheoryConstants& c = *options.constants;
    return {c,
            {{"L_f", c.smoothness, "given"},
             {"L_0", c.mean_smoothness, "given"},
             {"|A|", c.row_norm, "given"},
             {"sbar", c.error_bound, "given"},
             {"rho", c.rho, "given"}}};
  }
  TheoryConstants c;
  Reasons origins;
  if (options.curvature) {
    c.smoothness = *options.curvature;
    origins.push_back({"L_f", c.smoothness, "given"});
  } else if (const auto bound = problem.objective().smoothness()) {
    c.smoothness = *bound;
    origins.push_back({"L_f", c.smoothness, "computed: the objective's own bound"});
  } else {
    Scaling literal;
    literal.metric = MetricKind::identity;
    const StandardForm form(problem, literal);
    const Vector start = problem.starting_point();
    const Vector activity = problem.rows().matrix * start;
    c.smoothness =
        2 * estimate_curvature(form, form.to_standard(start, activity), 16, 8, options.seed, 0).curvature;
    origins.push_back({"L_f", c.smoothness, "estimated: twice a power iteration at the start"});
  }
  c.mean_smoothness = c.smoothness;
  const RowSpectrum spectrum = row_spectrum(problem);
  c.row_norm = spectrum.largest;
  c.rho = 1;
  c.error_bound = unconstrained_error_bound(c.smoothness, theory_mu(c), spectrum.smallest_positive);
  origins.push_back({"|A|", c.row_norm, "computed, slack columns included"});
  origins.push_back({"sbar", c.error_bound, "estimated: its value for X = R^n"});
  origins.push_back({"rho", c.rho, "free in the theory"});
  return {c, origins};
}

}  // namespace bridle
