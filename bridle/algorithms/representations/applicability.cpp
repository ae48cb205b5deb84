#include "bridle/algorithms/representations/applicability.hpp"

#include <algorithm>

#include "bridle/algorithms/representations/fused_pass.hpp"
#include "bridle/algorithms/representations/lazy_point.hpp"
#include "bridle/algorithms/representations/sampled_iterate.hpp"
#include "bridle/algorithms/representations/split.hpp"
#include "bridle/core/formatted.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

constexpr Index most_lazy_rows =
    Split::most_carried;  // lazy iterates keep m numbers and more for every sample

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

bool whole_space(const StandardForm& form) {
  const auto bounds = form.variable_bounds();
  return bounds && (bounds->lower.array() == -infinity).all() && (bounds->upper.array() == infinity).all();
}

double all_variables(const StandardForm& form) { return static_cast<double>(form.variables()); }

// Dense data of so few nonzeros that a step over them alone is cheaper than one pass: one-hot columns.
bool mostly_zeros(const LinearModel& model) {
  return 3 * mean_nonzeros(model) + 16 <= static_cast<double>(model.dimension());
}

bool few_nonzeros(const LinearModel& model) { return model.features().sparse() || mostly_zeros(model); }

// The model that representations for linear models work with; null where they are out of the question.
// Samples that are in shares are at hand to the workers who have them.
const LinearModel* model_at_hand(const StandardForm& form) {
  const LinearModel* model = form.problem().objective().as_linear_model();
  return model && model->batches_are_spread() ? nullptr : model;
}

Applicability for_other_problems(const StandardForm& form) {
  if (form.problem().objective().as_linear_model() && !form.problem().stochastic_rows())
    return {.against = "the samples are spread over processes"};
  return {.against = "it is for linear models", .another_kind = true};
}

// What all lazy iterates need: sparse data, and x and z that move by two modes. Empty when they can be had.
std::string against_modes(const StandardForm& form, const LinearModel& model,
                          const std::optional<ModeClasses>& classes) {
  if (!few_nonzeros(model)) return "the data is dense";
  if (classes && form.variables() <= most_columns) return {};
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

// What is in the block, and why.
std::string in_block(const Split& split) {
  const auto in_short_rows = static_cast<Index>(split.block.size()) - split.bounded;
  if (in_short_rows == 0) return formatted("%td bounded variables that rows, ridge or z push", split.bounded);
  if (split.bounded == 0) return formatted("%td variables of short rows", in_short_rows);
  return formatted("%td bounded variables that rows, ridge or z push, and %td variables of short rows",
                   split.bounded, in_short_rows);
}

}  // namespace

double mean_nonzeros(const LinearModel& model) {
  if (!model.features().sparse()) return model.column_statistics().frequency.sum();
  return model.entries() / static_cast<double>(std::max<Index>(model.sample_count(), 1));
}

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
  constexpr double passes = 6;  // over x, z, y and slacks; A and A' are gone through once each
  Applicability out{.touched = all_variables(form)};
  if (const LinearModel* model = model_at_hand(form); model && few_nonzeros(*model))
    out.moved = passes * static_cast<double>(form.dimension() + form.rows()) +
                2 * static_cast<double>(form.matrix().nonZeros());
  return out;
}

Applicability fused_applies(const StandardForm& form, const Stage&, const Iterate&) {
  if (!model_at_hand(form) || form.problem().stochastic_rows()) return for_other_problems(form);
  if (form.rows() > most_fused_rows) return {.against = "there are more than 16 rows"};
  if (!form.variable_bounds()) return {.against = "X is no box"};
  const double n = all_variables(form);
  return {.touched = n, .moved = few_nonzeros(*model_at_hand(form)) ? n : 0};
}

Applicability lazy_applies(const StandardForm& form, const Stage& stage, const Iterate& start) {
  const LinearModel* model = model_at_hand(form);
  if (!model || form.problem().stochastic_rows()) return for_other_problems(form);
  const auto classes = stage_modes(form, stage);
  if (std::string reason = against_modes(form, *model, classes); !reason.empty())
    return {.against = std::move(reason)};
  const auto bounds = form.variable_bounds();
  if (!bounds) return {.against = "X is no box"};
  const Split split = split_of(form, *classes, *bounds, start.z);
  const auto carried = static_cast<double>(split.carried.size()),
             block = static_cast<double>(split.block.size());
  if (carried > most_lazy_rows) return {.against = "more than 64 rows have many entries"};
  if (block > Split::most_in_block || 2 * block > all_variables(form))
    return {.against = "every step would touch " + in_block(split)};
  if (carried * carried * static_cast<double>(classes->count() - 1) > 1000 + 4 * all_variables(form))
    return {.against = formatted("%zu rows times %td ridges of the scaled variables cost more than a pass",
                                 split.carried.size(), classes->count())};
  const double moved = block + static_cast<double>(split.short_entries), sample = mean_nonzeros(*model);
  Applicability out{.touched = sample + moved, .sample = sample, .moved = moved, .waits = true};
  if (block > 0) out.besides = in_block(split);
  return out;
}

Applicability lazy_sampled_applies(const StandardForm& form, const Stage& stage, const Iterate&) {
  const LinearModel* model = model_at_hand(form);
  if (!model) return for_other_problems(form);
  if (form.rows() == 0) return {.against = "there are no rows", .another_kind = true};
  if (std::string reason = against_carrying(form, *model, stage, 0); !reason.empty())
    return {.against = std::move(reason)};
  const double touched = mean_nonzeros(*model) + 3 * mean_drawn(form);
  if (touched > 0.5 * all_variables(form)) return {.against = "draws of the rows are dense"};
  return {.touched = touched};
}

Applicability lazy_storm_applies(const StandardForm& form, const Stage& stage, const Iterate&) {
  const LinearModel* model = model_at_hand(form);
  if (!model || form.problem().stochastic_rows()) return for_other_problems(form);
  if (form.rows() > most_lazy_rows) return {.against = "there are more than 64 rows"};
  if (!(stage.parameters.alpha > 0 && stage.parameters.alpha < 1))
    return {.against = "alpha is not in proportion to tau"};
  if (std::string reason = against_carrying(form, *model, stage, stage_decay(stage)); !reason.empty())
    return {.against = std::move(reason)};
  return {.touched = mean_nonzeros(*model)};
}

}  // namespace bridle
