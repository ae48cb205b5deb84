#include "bridle/algorithms/registry.hpp"

#include "bridle/algorithms/baselines/conex.hpp"
#include "bridle/algorithms/baselines/lagrangian.hpp"
#include "bridle/algorithms/baselines/ma_lin_yang.hpp"
#include "bridle/algorithms/baselines/penalty.hpp"
#include "bridle/algorithms/baselines/prox_pda.hpp"
#include "bridle/algorithms/baselines/ssl_alm.hpp"
#include "bridle/algorithms/baselines/stoc_ialm.hpp"
#include "bridle/algorithms/baselines/stochastic_sqp.hpp"
#include "bridle/algorithms/representations/applicability.hpp"
#include "bridle/algorithms/representations/dense_iterate.hpp"
#include "bridle/algorithms/representations/drawn_batch.hpp"
#include "bridle/algorithms/representations/fused_iterate.hpp"
#include "bridle/algorithms/representations/lazy_iterate.hpp"
#include "bridle/algorithms/representations/lazy_sampled_iterate.hpp"
#include "bridle/algorithms/representations/lazy_storm_iterate.hpp"
#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/algorithms/safeguarded_storm.hpp"
#include "bridle/algorithms/smoothed.hpp"
#include "bridle/algorithms/storm.hpp"
#include "bridle/core/formatted.hpp"

namespace bridle {
namespace {

using Made = std::unique_ptr<Method>;

Index samples_of(const StandardForm& form) { return form.problem().objective().sample_count(); }

template <class Algorithm>
Made dense(const StandardForm& form, const Stage&, const Iterate& start, const MethodSettings& settings) {
  return std::make_unique<Algorithm>(DenseIterate(form, start), samples_of(form), settings);
}

Made fused(const StandardForm& form, const Stage&, const Iterate& start, const MethodSettings& settings) {
  return std::make_unique<Smoothed<FusedIterate>>(FusedIterate(form, start), samples_of(form), settings);
}

// That a loop will make, as far as is known when its stage begins.
double draws_of(const Stage& stage, const MethodSettings& settings) {
  if (settings.guessed_length) return 0;
  return static_cast<double>(stage.iterations) * static_cast<double>(settings.batch);
}

Made lazy(const StandardForm& form, const Stage& stage, const Iterate& start,
          const MethodSettings& settings) {
  return std::make_unique<Smoothed<LazyIterate>>(
      LazyIterate(form, start, *stage_modes(form, stage), draws_of(stage, settings)), samples_of(form),
      settings);
}

Made lazy_storm(const StandardForm& form, const Stage& stage, const Iterate& start,
                const MethodSettings& settings) {
  return std::make_unique<Storm<LazyStormIterate>>(
      LazyStormIterate(form, start, *stage_modes(form, stage), stage_decay(stage), draws_of(stage, settings)),
      samples_of(form), settings);
}

AnyStochasticRows drawn_rows(const StandardForm& form) {
  return standard_rows(form, rows_per_draw(form.rows()));
}

template <class Algorithm>
Made sampled(const StandardForm& form, const Stage&, const Iterate& start, const MethodSettings& settings) {
  return std::make_unique<Algorithm>(SampledIterate(form, drawn_rows(form), start, settings.literal_draws),
                                     samples_of(form), settings);
}

Made lazy_sampled(const StandardForm& form, const Stage& stage, const Iterate& start,
                  const MethodSettings& settings) {
  return std::make_unique<Safeguarded<LazySampledIterate>>(
      LazySampledIterate(form, drawn_rows(form), start, settings.literal_draws, *stage_modes(form, stage),
                         draws_of(stage, settings)),
      samples_of(form), settings);
}

constexpr std::string_view passes = "passes over all variables",
                           touches_sample = "a step touches the sample's nonzeros only",
                           touches_drawn = "a step touches the nonzeros of what is drawn only";

// When a step touches more than three times what its samples have, and the difference is worth a word.
std::string warning_of(const StandardForm& form, double touched, Index batch, const std::string& cause) {
  constexpr double much = 3, at_least = 200;
  const LinearModel* model = form.problem().objective().as_linear_model();
  if (!model || cause.empty() || touched < at_least) return {};
  const double nonzeros = static_cast<double>(batch) * mean_nonzeros(*model);
  if (touched <= much * nonzeros) return {};
  return formatted("a step touches %.0f numbers, where %s %.3g: ", touched,
                   batch == 1 ? "a sample has" : "its samples have", nonzeros) +
         cause;
}

template <class Algorithm>
constexpr Representation dense_only{"dense", passes, always_applies, dense<Algorithm>};

template <class Algorithm>
Made vectors(const StandardForm& form, const Stage&, const Iterate& start, const MethodSettings& settings) {
  return std::make_unique<Algorithm>(form, start, settings);
}
template <class Algorithm>
constexpr Representation vectors_only{"vectors", passes, always_applies, vectors<Algorithm>};

// A rival that has another form where the rows are known through draws only.
Applicability rows_are_drawn(const StandardForm& form, const Stage&, const Iterate&) {
  if (form.problem().stochastic_rows()) return {};
  return {.against = "the rows are known", .another_kind = true};
}
template <class Algorithm>
constexpr Representation on_drawn_rows{"drawn", "sees the rows through draws", rows_are_drawn,
                                       sampled<Algorithm>};

}  // namespace

const std::vector<AlgorithmDescription>& all_algorithms() {
  static const std::vector<AlgorithmDescription> algorithms = {
      {.name = "smoothed",
       .meaning = "Algorithm 1: smoothed linearised augmented Lagrangian",
       .representations = {{"lazy", touches_sample, lazy_applies, lazy, true},
                           {"fused", "one pass over all variables", fused_applies, fused, true},
                           {"dense", "", always_applies, dense<Smoothed<DenseIterate>>}}},
      {.name = "safeguarded",
       .meaning = "Algorithm 2: rows known through draws (or sampled from many), dual safeguard",
       .samples_rows = true,
       .representations = {{"lazy", touches_drawn, lazy_sampled_applies, lazy_sampled, true},
                           {"dense", passes, always_applies, sampled<Safeguarded<SampledIterate>>}}},
      {.name = "storm",
       .meaning = "Algorithm 3: Algorithm 1 with STORM variance reduction",
       .gradients_per_iteration = 2,
       .carries_estimate = true,
       .large_first_batch = true,
       .representations = {{"lazy", touches_drawn, lazy_storm_applies, lazy_storm, true},
                           {"dense", passes, always_applies, dense<Storm<DenseIterate>>}}},
      {.name = "safeguarded-storm",
       .meaning = "Algorithm 4: Algorithm 2 with STORM variance reduction",
       .gradients_per_iteration = 2,
       .samples_rows = true,
       .carries_estimate = true,
       .large_first_batch = true,
       .representations = {{"dense", passes, always_applies, sampled<SafeguardedStorm<SampledIterate>>}}},
      {.name = "zhang-luo",
       .meaning = "rival: smoothed proximal ALM with full gradients",
       .gradients_per_iteration = 0,
       .baseline = true,
       .representations = {dense_only<ZhangLuo<DenseIterate>>}},
      {.name = "plain-alm",
       .meaning = "rival: stochastic ALM without smoothing",
       .baseline = true,
       .representations = {dense_only<PlainAlm<DenseIterate>>}},
      {.name = "penalty-sgd",
       .meaning = "rival: projected SGD with a fixed penalty",
       .baseline = true,
       .representations = {dense_only<PenaltySgd<DenseIterate>>}},
      {.name = "alacaoglu-wright-alm",
       .meaning = "rival: ALM with STORM, X = R^n",
       .gradients_per_iteration = 2,
       .carries_estimate = true,
       .large_first_batch = true,
       .baseline = true,
       .needs_whole_space = true,
       .representations = {dense_only<AlacaogluWrightAlm<DenseIterate>>}},
      {.name = "alacaoglu-wright-penalty",
       .meaning = "rival: growing penalty with STORM",
       .gradients_per_iteration = 2,
       .carries_estimate = true,
       .baseline = true,
       .representations = {on_drawn_rows<DrawnAlacaogluWrightPenalty<SampledIterate>>,
                           dense_only<GrowingPenaltyStorm<DenseIterate, alacaoglu_wright_orders>>}},
      {.name = "lu-mei-xiao",
       .meaning = "rival: growing penalty, recursive momentum",
       .gradients_per_iteration = 2,
       .carries_estimate = true,
       .baseline = true,
       .representations = {dense_only<GrowingPenaltyStorm<DenseIterate, lu_mei_xiao_orders>>}},
      {.name = "lu-mei-xiao-polyak",
       .meaning = "rival: growing penalty, Polyak's momentum",
       .carries_estimate = true,
       .baseline = true,
       .representations = {dense_only<LuMeiXiaoPolyak<DenseIterate>>}},
      {.name = "stoc-ialm",
       .meaning = "rival: double-loop inexact ALM with inner STORM",
       .gradients_per_iteration = 2,
       .carries_estimate = true,
       .large_first_batch = true,
       .baseline = true,
       .representations = {on_drawn_rows<DrawnStocIalm<SampledIterate>>, dense_only<StocIalm<DenseIterate>>}},
      {.name = "prox-pda",
       .meaning = "rival: proximal primal-dual method with full gradients, X = R^n",
       .gradients_per_iteration = 0,
       .baseline = true,
       .needs_whole_space = true,
       .representations = {dense_only<ProxPda<DenseIterate>>}},
      {.name = "conex",
       .meaning = "rival: proximal point with constraint extrapolation inside",
       .baseline = true,
       .needs_interior = true,
       .representations = {vectors_only<ConEx>}},
      {.name = "ma-lin-yang",
       .meaning = "rival: proximal point with switching subgradients inside",
       .baseline = true,
       .needs_interior = true,
       .representations = {vectors_only<MaLinYang>}},
      {.name = "stochastic-sqp",
       .meaning = "rival: stochastic SQP, X = R^n and equality rows",
       .baseline = true,
       .needs_whole_space = true,
       .representations = {vectors_only<StochasticSqp>}},
      {.name = "ssl-alm",
       .meaning = "rival: SSL-ALM of humancompatible-train, with its published constants",
       .baseline = true,
       .representations = {on_drawn_rows<DrawnSslAlm<SampledIterate>>, dense_only<SslAlm<DenseIterate>>}},
  };
  return algorithms;
}

const AlgorithmDescription* find_algorithm(std::string_view name) {
  for (const auto& entry : all_algorithms())
    if (entry.name == name) return &entry;
  return nullptr;
}

RepresentationChoice AlgorithmDescription::choose(const StandardForm& form, const Stage& stage,
                                                  const Iterate& start, Index batch) const {
  std::vector<std::pair<std::string, std::string>> refused;  // names, and what spoke against them
  bool worth_a_word = representations.size() > 1;
  const bool in_pieces = batch > samples_of_a_piece(form.problem().objective());
  for (const Representation& one : representations) {
    Applicability found = one.applies(form, stage, start);
    if (found.against.empty() && one.whole_batches && in_pieces)
      found.against = "batches of " + std::to_string(batch) + " samples are taken in pieces";
    if (!found.against.empty()) {
      worth_a_word = worth_a_word && !found.another_kind;
      refused.emplace_back(one.name, std::move(found.against));
      continue;
    }
    if (!worth_a_word) return {.representation = &one};
    std::string why = std::string(one.name) + " iterate: ";
    const bool last_says_it = one.meaning.empty() && !refused.empty();
    why += last_says_it ? refused.back().second : std::string(one.meaning);
    if (!found.besides.empty()) why += ", but for " + found.besides;
    const std::string cause = refused.empty() ? found.besides : refused.front().second;
    for (std::size_t k = 0; k + (last_says_it ? 1 : 0) < refused.size(); ++k)
      why += "; not " + refused[k].first + ": " + refused[k].second;
    const double touched = found.touched + static_cast<double>(batch - 1) * found.sample;
    return {&one, touched, found.moved, found.waits, why, warning_of(form, touched, batch, cause)};
  }
  return {.representation = &plain()};
}

std::unique_ptr<Method> AlgorithmDescription::create(const StandardForm& form, const Stage& stage,
                                                     const Iterate& start,
                                                     const MethodSettings& settings) const {
  return choose(form, stage, start, settings.batch).representation->create(form, stage, start, settings);
}

const Representation* AlgorithmDescription::find_representation(std::string_view wanted) const {
  for (const Representation& one : representations)
    if (one.name == wanted) return &one;
  return nullptr;
}

}  // namespace bridle
