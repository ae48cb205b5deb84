#include "bridle/algorithms/iterate_choice.hpp"

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

constexpr Index most_rows = 64;  // the lazy iterate keeps m numbers for every sample

// The ridge of the standard form, C^2 ridge, when all variables have the same.
std::optional<double> common_ridge(const StandardForm& form, const LinearModel& model) {
  if (model.ridge().size() == 0) return 0;
  const Vector ridge = model.ridge().cwiseProduct(form.column_scale().cwiseAbs2());
  if (ridge.maxCoeff() - ridge.minCoeff() > 1e-14 * ridge.maxCoeff()) return std::nullopt;
  return ridge[0];
}

// Only variables that are in no row may have bounds, and z and with a ridge 0 must be within them: then x cannot
// leave them but by a sample's gradient.
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


}  // namespace

IterateChoice choose_iterate(const StandardForm& form, const Stage& stage, const Iterate& start) {
  const LinearModel* model = form.problem().objective().as_linear_model();
  if (!model || !model->features().sparse() || form.problem().stochastic_rows()) return {};
  const auto dense_because = [&](const char* why) {
    return IterateChoice{IterateKind::dense, {}, static_cast<double>(form.variables()), std::string("dense iterate: ") + why};
  };
  if (form.rows() > most_rows) return dense_because("more than 64 rows");
  const auto ridge = common_ridge(form, *model);
  if (!ridge) return dense_because("the ridge differs between the scaled variables");
  if (!bounds_are_harmless(form, *ridge, start.z))
    return dense_because("variables that are in rows have bounds, or X is no box");
  const auto modes = Modes::of(stage.parameters, *ridge);
  if (!modes) return dense_because("beta is not in proportion to tau, or the steps are too long");
  const auto& data = std::get<SparseRows>(model->features().storage());
  return {IterateKind::lazy, *modes, static_cast<double>(data.nonZeros()) / static_cast<double>(data.rows()),
          "lazy iterate: a step touches the sample's nonzeros only"};
}

}  // namespace bridle
