#include "bridle/algorithms/iterate_choice.hpp"

#include "bridle/algorithms/fused_pass.hpp"
#include "bridle/algorithms/lazy_point.hpp"
#include "bridle/algorithms/sampled_iterate.hpp"
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

bool whole_space(const StandardForm& form) {
  const auto bounds = form.variable_bounds();
  return bounds && (bounds->lower.array() == -infinity).all() && (bounds->upper.array() == infinity).all();
}

// What all lazy iterates need: sparse data, and x and z that move by two modes. Empty when they can be had.
std::string against_modes(const StandardForm& form, const Parameters& p, Modes& out, double& ridge) {
  const LinearModel& model = *form.problem().objective().as_linear_model();
  if (!model.features().sparse()) return "the data is dense";
  const auto common = common_ridge(form, model);
  if (!common) return "the ridge differs between the scaled variables";
  ridge = *common;
  const auto modes = Modes::of(p, ridge);
  if (!modes) return "beta is not in proportion to tau, or the steps are too long";
  out = *modes;
  return {};
}

// Why the lazy iterate cannot be had; empty when it can.
std::string against_lazy(const StandardForm& form, const Parameters& p, const Iterate& start,
                         IterateChoice& out) {
  double ridge = 0;
  if (const std::string reason = against_modes(form, p, out.modes, ridge); !reason.empty()) return reason;
  if (form.rows() > most_lazy_rows) return "there are more than 64 rows";
  if (!bounds_are_harmless(form, ridge, start.z))
    return "variables that are in rows have bounds, or X is no box";
  return {};
}

// The same for iterates that carry a direction along.
std::string against_carrying(const StandardForm& form, const Parameters& p, IterateChoice& out) {
  double ridge = 0;
  if (const std::string reason = against_modes(form, p, out.modes, ridge); !reason.empty()) return reason;
  if (!whole_space(form)) return "variables have bounds, or X is no box";
  if (!LazyPoint::possible(out.modes, out.decay)) return "two of the rates nearly agree";
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

namespace {

// Lazy where nothing speaks against it, dense otherwise.
IterateChoice lazy_unless(const std::string& reason, IterateChoice out, double touched,
                          const StandardForm& form) {
  out.kind = reason.empty() ? IterateKind::lazy : IterateKind::dense;
  out.touched = reason.empty() ? touched : static_cast<double>(form.variables());
  out.why = reason.empty() ? "lazy iterate: a step touches the nonzeros of what is drawn only"
                           : "dense iterate: passes over all variables; not lazy: " + reason;
  return out;
}

// Variables that a draw of the rows touches, on average over a few draws.
double mean_drawn(const StandardForm& form) {
  constexpr int draws = 8;
  const AnyStochasticRows rows = standard_rows(form, rows_per_draw(form.rows()));
  const Stream stream(1, Purpose::constraint);
  double sum = 0;
  RowSample sample;
  for (std::uint64_t t = 0; t < draws; ++t) {
    rows.draw(stream.bits(t).first, sample);
    sum += static_cast<double>(sample.values.size());
  }
  return sum / draws;
}

}  // namespace

IterateChoice choose_sampled_iterate(const StandardForm& form, const Stage& stage, const Iterate&) {
  IterateChoice out;
  const LinearModel* model = form.problem().objective().as_linear_model();
  if (!model || form.rows() == 0) return out;
  std::string reason = against_carrying(form, stage.parameters, out);
  double touched = 0;
  if (reason.empty()) {
    touched = mean_nonzeros(std::get<SparseRows>(model->features().storage())) + 3 * mean_drawn(form);
    if (touched > 0.5 * static_cast<double>(form.variables())) reason = "draws of the rows are dense";
  }
  return lazy_unless(reason, std::move(out), touched, form);
}

IterateChoice choose_storm_iterate(const StandardForm& form, const Stage& stage, const Iterate&) {
  IterateChoice out;
  const LinearModel* model = form.problem().objective().as_linear_model();
  if (!model || form.problem().stochastic_rows()) return out;
  const Parameters& p = stage.parameters;
  out.decay = p.tau > 0 ? p.alpha / p.tau : 0;
  std::string reason = against_carrying(form, p, out);
  if (!(p.alpha > 0 && p.alpha < 1)) reason = "alpha is not in proportion to tau";
  if (form.rows() > most_lazy_rows) reason = "there are more than 64 rows";
  const double touched =
      reason.empty() ? mean_nonzeros(std::get<SparseRows>(model->features().storage())) : 0;
  return lazy_unless(reason, std::move(out), touched, form);
}

}  // namespace bridle
