#include "bridle/algorithms/iterate_choice.hpp"

#include "bridle/algorithms/fused_pass.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

constexpr Index most_lazy_rows = 64;  // the lazy iterate keeps m numbers for every sample

// The ridge of the standard form, C^2 ridge, when all variables have the same.
std::optional<double> common_ridge(const StandardForm& form, const LinearModel& model) {
  if (model.ridge().size() == 0) return 0;
  const Vector ridge = model.ridge().cwiseProduct(form.column_scale().cwiseAbs2());
  if (ridge.maxCoeff() - ridge.minCoeff() > 1e-14 * ridge.maxCoeff()) return std::nullopt;
  return ridge[0];
}

// Only variables that are in no row may have bounds, and z and with a ridge 0 must be within them: then x
// cannot leave them but by a sample's gradient.
bool bounds_are_harmless(const StandardForm& form, double ridge, const Vector& z) {
  const auto bounds = form.variable_bounds();
  if (!bounds) return false;
  Vector in_rows = Vector::Zero(form.variables());
  for (Index i = 0; i < form.rows(); ++i)
    for (SparseRows::InnerIterator it(form.matrix(), i); it; ++it) in_rows[it.col()] = 1;
  for (Index j = 0; j < form.variables(); ++j) {
    const double lower = bounds->lower[j], upper = bounds->upper[j];
    if (lower == -infinity && upper == infinity) continue;
    if (in_rows[j] != 0 || z[j] < lower || z[j] > upper) return false;
    if (ridge > 0 && !(lower <= 0 && upper >= 0)) return false;
  }
  return true;
}

// Why the lazy iterate cannot be had; empty when it can.
std::string against_lazy(const StandardForm& form, const Parameters& p, const Iterate& start,
                         IterateChoice& out) {
  const LinearModel& model = *form.problem().objective().as_linear_model();
  if (!model.features().sparse()) return "the data is dense";
  if (form.rows() > most_lazy_rows) return "there are more than 64 rows";
  const auto ridge = common_ridge(form, model);
  if (!ridge) return "the ridge differs between the scaled variables";
  if (!bounds_are_harmless(form, *ridge, start.z))
    return "variables that are in rows have bounds, or X is no box";
  const auto modes = Modes::of(p, *ridge);
  if (!modes) return "beta is not in proportion to tau, or the steps are too long";
  out.modes = *modes;
  return {};
}

std::string against_fused(const StandardForm& form) {
  if (form.rows() > most_fused_rows) return "there are more than 16 rows";
  if (!form.variable_bounds()) return "X is no box";
  return {};
}

double mean_nonzeros(const SparseRows& data) {
  return static_cast<double>(data.nonZeros()) / static_cast<double>(data.rows());
}

}  // namespace

IterateChoice choose_iterate(const StandardForm& form, const Stage& stage, const Iterate& start) {
  IterateChoice out;
  const LinearModel* model = form.problem().objective().as_linear_model();
  if (!model || form.problem().stochastic_rows()) return out;
  const std::string not_lazy = against_lazy(form, stage.parameters, start, out);
  if (not_lazy.empty()) {
    out.kind = IterateKind::lazy;
    out.touched = mean_nonzeros(std::get<SparseRows>(model->features().storage()));
    out.why = "lazy iterate: a step touches the sample's nonzeros only";
    return out;
  }
  const std::string not_fused = against_fused(form);
  out.kind = not_fused.empty() ? IterateKind::fused : IterateKind::dense;
  out.touched = static_cast<double>(form.variables());
  out.why =
      (not_fused.empty() ? "fused iterate: one pass over all variables" : "dense iterate: " + not_fused) +
      "; not lazy: " + not_lazy;
  return out;
}

}  // namespace bridle
