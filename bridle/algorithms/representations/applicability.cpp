#include "bridle/algorithms/representations/applicability.hpp"

#include <algorithm>

#include "bridle/algorithms/representations/fused_pass.hpp"
#include "bridle/algorithms/representations/lazy_point.hpp"
#include "bridle/algorithms/representations/sampled_iterate.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

constexpr Index most_lazy_rows = 64;  // lazy iterates keep m numbers for every sample

// The values that the ridge of the standard form, C^2 ridge, takes, and which of them each variable has;
// nothing when there are too many.
struct RidgeClasses {
  std::vector<double> values = {0};
  std::shared_ptr<const std::vector<std::uint8_t>> class_of;
};

std::optional<RidgeClasses> ridge_classes(const StandardForm& form, const LinearModel& model) {
  if (model.ridge().size() == 0) return RidgeClasses{};
  RidgeClasses out{{}, nullptr};
  auto class_of = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(form.variables()));
  for (Index j = 0; j < form.variables(); ++j) {
    const double ridge = model.ridge()[j] * form.column_scale()[j] * form.column_scale()[j];
    const auto found = std::find_if(out.values.begin(), out.values.end(),
                                    [&](double value) { return std::abs(value - ridge) <= 1e-14 * value; });
    const auto k = found - out.values.begin();
    if (k == ModeClasses::most) return std::nullopt;
    if (found == out.values.end()) out.values.push_back(ridge);
    (*class_of)[static_cast<std::size_t>(j)] = static_cast<std::uint8_t>(k);
  }
  if (out.values.size() > 1) out.class_of = std::move(class_of);
  return out;
}

// Only variables that are in no row may have bounds, and z and with a ridge 0 must be within them: then x
// cannot leave them but by a sample's gradient.
bool bounds_are_harmless(const StandardForm& form, const ModeClasses& classes, const Vector& z) {
  const auto bounds = form.variable_bounds();
  if (!bounds) return false;
  Vector in_rows = Vector::Zero(form.variables());
  for (Index i = 0; i < form.rows(); ++i)
    for (SparseRows::InnerIterator it(form.matrix(), i); it; ++it) in_rows[it.col()] = 1;
  for (Index j = 0; j < form.variables(); ++j) {
    const double lower = bounds->lower[j], upper = bounds->upper[j];
    if (lower == -infinity && upper == infinity) continue;
    if (in_rows[j] != 0 || z[j] < lower || z[j] > upper) return false;
    if (classes.ridge_of(j) > 0 && !(lower <= 0 && upper >= 0)) return false;
  }
  return true;
}

bool whole_space(const StandardForm& form) {
  const auto bounds = form.variable_bounds();
  return bounds && (bounds->lower.array() == -infinity).all() && (bounds->upper.array() == infinity).all();
}

double all_variables(const StandardForm& form) { return static_cast<double>(form.variables()); }

double mean_nonzeros(const LinearModel& model) {
  const auto& data = std::get<SparseRows>(model.features().storage());
  return static_cast<double>(data.nonZeros()) / static_cast<double>(data.rows());
}

// The model that representations for linear models work with; null where they are out of the question.
const LinearModel* model_at_hand(const StandardForm& form) {
  const AnyObjective& objective = form.problem().objective();
  return objective.spread_over_processes() ? nullptr : objective.as_linear_model();
}

Applicability for_other_problems() { return {.against = "it is for linear models", .another_kind = true}; }

// What all lazy iterates need: sparse data, and x and z that move by two modes. Empty when they can be had.
std::string against_modes(const StandardForm& form, const LinearModel& model,
                          const std::optional<ModeClasses>& classes) {
  if (!model.features().sparse()) return "the data is dense";
  if (classes && form.variables() <= Places::most_columns(classes->count() > 1)) return {};
  const auto ridges = ridge_classes(form, model);
  if (!ridges) return "the ridge takes more than 64 values on the scaled variables";
  if (classes) return "there are more variables than a sample has numbers for";
  return "beta is not in proportion to tau, or the steps are too long";
}

// The same for iterates that carry a direction along.
std::string against_carrying(const StandardForm& form, const LinearModel& model, const Stage& stage,
                             double decay) {
  const auto classes = stage_modes(form, stage);
  if (std::string reason = against_modes(form, model, classes); !reason.empty()) return reason;
  if (!whole_space(form)) return "variables have bounds, or X is no box";
  for (const Modes& modes : classes->modes)
    if (!can_carry(modes, decay)) return "two of the rates nearly agree";
  return {};
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

std::optional<ModeClasses> stage_modes(const StandardForm& form, const Stage& stage) {
  const auto ridges = ridge_classes(form, *form.problem().objective().as_linear_model());
  if (!ridges) return std::nullopt;
  ModeClasses out{{}, ridges->class_of};
  for (const double ridge : ridges->values) {
    const auto modes = Modes::of(stage.parameters, ridge);
    if (!modes) return std::nullopt;
    out.modes.push_back(*modes);
  }
  return out;
}

double stage_decay(const Stage& stage) {
  return stage.parameters.tau > 0 ? stage.parameters.alpha / stage.parameters.tau : 0;
}

Applicability always_applies(const StandardForm& form, const Stage&, const Iterate&) {
  return {.touched = all_variables(form)};
}

Applicability fused_applies(const StandardForm& form, const Stage&, const Iterate&) {
  if (!model_at_hand(form) || form.problem().stochastic_rows()) return for_other_problems();
  if (form.rows() > most_fused_rows) return {.against = "there are more than 16 rows"};
  if (!form.variable_bounds()) return {.against = "X is no box"};
  return {.touched = all_variables(form)};
}

Applicability lazy_applies(const StandardForm& form, const Stage& stage, const Iterate& start) {
  const LinearModel* model = model_at_hand(form);
  if (!model || form.problem().stochastic_rows()) return for_other_problems();
  const auto classes = stage_modes(form, stage);
  if (std::string reason = against_modes(form, *model, classes); !reason.empty())
    return {.against = std::move(reason)};
  if (form.rows() > most_lazy_rows) return {.against = "there are more than 64 rows"};
  if (!bounds_are_harmless(form, *classes, start.z))
    return {.against = "variables that are in rows have bounds, or X is no box"};
  return {.touched = mean_nonzeros(*model)};
}

Applicability lazy_sampled_applies(const StandardForm& form, const Stage& stage, const Iterate&) {
  const LinearModel* model = model_at_hand(form);
  if (!model || form.rows() == 0) return for_other_problems();
  if (std::string reason = against_carrying(form, *model, stage, 0); !reason.empty())
    return {.against = std::move(reason)};
  const double touched = mean_nonzeros(*model) + 3 * mean_drawn(form);
  if (touched > 0.5 * all_variables(form)) return {.against = "draws of the rows are dense"};
  return {.touched = touched};
}

Applicability lazy_storm_applies(const StandardForm& form, const Stage& stage, const Iterate&) {
  const LinearModel* model = model_at_hand(form);
  if (!model || form.problem().stochastic_rows()) return for_other_problems();
  if (form.rows() > most_lazy_rows) return {.against = "there are more than 64 rows"};
  if (!(stage.parameters.alpha > 0 && stage.parameters.alpha < 1))
    return {.against = "alpha is not in proportion to tau"};
  if (std::string reason = against_carrying(form, *model, stage, stage_decay(stage)); !reason.empty())
    return {.against = std::move(reason)};
  return {.touched = mean_nonzeros(*model)};
}

}  // namespace bridle
