#include "bridle/algorithms/registry.hpp"

#include "bridle/algorithms/baselines/lagrangian.hpp"
#include "bridle/algorithms/baselines/penalty.hpp"
#include "bridle/algorithms/fused_iterate.hpp"
#include "bridle/algorithms/lazy_iterate.hpp"
#include "bridle/algorithms/lazy_sampled_iterate.hpp"
#include "bridle/algorithms/lazy_storm_iterate.hpp"
#include "bridle/algorithms/safeguarded.hpp"
#include "bridle/algorithms/safeguarded_storm.hpp"
#include "bridle/algorithms/smoothed.hpp"
#include "bridle/algorithms/storm.hpp"

namespace bridle {
namespace {

template <template <class> class Algorithm>
std::unique_ptr<Method> dense(const StandardForm& form, Iterate start, const Drawing& drawing) {
  return std::make_unique<Algorithm<DenseIterate>>(DenseIterate(form, std::move(start)),
                                                   form.problem().objective().sample_count(), drawing);
}

// Algorithm 1 with the iterate that was chosen for the stage.
std::unique_ptr<Method> smoothed(const StandardForm& form, Iterate start, const Drawing& drawing) {
  const Index samples = form.problem().objective().sample_count();
  switch (drawing.iterate.kind) {
    case IterateKind::lazy:
      return std::make_unique<Smoothed<LazyIterate>>(
          LazyIterate(form, std::move(start), drawing.iterate.modes), samples, drawing);
    case IterateKind::fused:
      return std::make_unique<Smoothed<FusedIterate>>(FusedIterate(form, std::move(start)), samples, drawing);
    case IterateKind::dense:
      break;
  }
  return dense<Smoothed>(form, std::move(start), drawing);
}

template <class Algorithm>
std::unique_ptr<Method> sampled(const StandardForm& form, Iterate start, const Drawing& drawing) {
  return std::make_unique<Algorithm>(SampledIterate(form, standard_rows(form, rows_per_draw(form.rows())),
                                                    std::move(start), drawing.literal_draws),
                                     form.problem().objective().sample_count(), drawing);
}

std::unique_ptr<Method> safeguarded(const StandardForm& form, Iterate start, const Drawing& drawing) {
  if (drawing.iterate.kind != IterateKind::lazy)
    return sampled<Safeguarded<SampledIterate>>(form, std::move(start), drawing);
  return std::make_unique<Safeguarded<LazySampledIterate>>(
      LazySampledIterate(form, standard_rows(form, rows_per_draw(form.rows())), std::move(start),
                         drawing.literal_draws, drawing.iterate.modes),
      form.problem().objective().sample_count(), drawing);
}

std::unique_ptr<Method> storm(const StandardForm& form, Iterate start, const Drawing& drawing) {
  if (drawing.iterate.kind != IterateKind::lazy) return dense<Storm>(form, std::move(start), drawing);
  return std::make_unique<Storm<LazyStormIterate>>(
      LazyStormIterate(form, std::move(start), drawing.iterate.modes, drawing.iterate.decay),
      form.problem().objective().sample_count(), drawing);
}

}  // namespace

const std::vector<AlgorithmDescription>& all_algorithms() {
  static const std::vector<AlgorithmDescription> algorithms = {
      {"smoothed", "Algorithm 1: smoothed linearised augmented Lagrangian, one sample per iteration", 1,
       false, false, false, false, choose_iterate, smoothed},
      {"safeguarded", "Algorithm 2: rows known through draws (or sampled from many), dual safeguard", 1, true,
       false, false, false, choose_sampled_iterate, safeguarded},
      {"storm", "Algorithm 3: Algorithm 1 with STORM variance reduction", 2, false, true, false, false,
       choose_storm_iterate, storm},
      {"safeguarded-storm", "Algorithm 4: Algorithm 2 with STORM variance reduction", 2, true, true, false,
       false, nullptr, sampled<SafeguardedStorm>},
      {"zhang-luo", "rival: smoothed proximal ALM with full gradients", 0, false, false, true, false, nullptr,
       dense<ZhangLuo>},
      {"plain-alm", "rival: stochastic ALM without smoothing", 1, false, false, true, false, nullptr,
       dense<PlainAlm>},
      {"penalty-sgd", "rival: projected SGD with a fixed penalty", 1, false, false, true, false, nullptr,
       dense<PenaltySgd>},
      {"alacaoglu-wright-alm", "rival: ALM with STORM, X = R^n", 2, false, true, true, true, nullptr,
       dense<AlacaogluWrightAlm>},
      {"alacaoglu-wright-penalty", "rival: growing penalty with STORM", 2, false, true, true, false, nullptr,
       dense<AlacaogluWrightPenalty>},
      {"lu-mei-xiao", "rival: growing penalty, recursive momentum", 2, false, true, true, false, nullptr,
       dense<LuMeiXiao>},
      {"stoc-ialm", "rival: double-loop inexact ALM with inner STORM", 2, false, true, true, false, nullptr,
       dense<StocIalm>},
  };
  return algorithms;
}

const AlgorithmDescription* find_algorithm(std::string_view name) {
  for (const auto& entry : all_algorithms())
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace bridle
