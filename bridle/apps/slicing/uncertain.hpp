// Flow rates that are random: drawn from a distribution around the stated rate, or from a file of samples.
// Capacities hold in expectation with a margin; what that means for the chance of overload is measured on
// samples that took no part in planning.
#pragma once

#include "bridle/apps/slicing/formulation.hpp"
#include "bridle/core/random.hpp"

namespace bridle {

enum class TrialRates { rehearsal, fresh };

class UncertainDemand {
 public:
  // "lognormal:S" or "uniform:S": independent rates with the stated rate as mean and S times it as standard
  // deviation (lognormal) or half width (uniform, S <= 1).
  static UncertainDemand from_distribution(const std::string& text, const SliceInstance& instance);
  // A CSV file with a column per flow, by name, and a line per sample. Every fifth sample is kept for the
  // measurement.
  static UncertainDemand from_samples(const std::string& path, const SliceInstance& instance);

  const Vector& mean() const { return mean_; }  // of what planning may see
  std::string description() const { return description_; }
  // The rates of one draw, all randomness from zeta.
  Vector draw(std::uint64_t zeta) const;
  // Rates that a plan can be tried on. Planning never sees the fresh ones: the held-out samples, or draws of
  // a stream of their own. It may see those of the rehearsal: the other samples, or draws of another stream.
  Vector trial(TrialRates which, std::size_t i, std::uint64_t seed) const;
  std::size_t trial_count(TrialRates which) const;

 private:
  enum class Kind { lognormal, uniform, samples };
  Kind kind_ = Kind::lognormal;
  double spread_ = 0;
  Vector mean_;
  Matrix samples_, held_out_;  // a column per sample
  std::string description_;
};

// The instance to plan for: mean rates, and of every capacity the part 1 - margin.
SliceInstance planning_instance(const SliceInstance& instance, const UncertainDemand& demand, double margin);

// Draws of the capacity rows of a formulation: the same rows with random rates.
class SampledCapacities {
 public:
  SampledCapacities(const Formulation& formulation, UncertainDemand demand);
  Index dimension() const { return rows_.cols(); }
  Index count() const { return rows_.rows(); }
  void draw(Sample zeta, RowSample& out) const;
  MeanRows mean() const { return {rows_, Vector::Zero(count())}; }

 private:
  SparseRows rows_;                // with mean rates
  std::vector<std::size_t> flow_;  // of each variable
  UncertainDemand demand_;
};

// How often a plan is overloaded when rates are drawn; every flow keeps its hosts and the shares of its
// routes.
struct Overload {
  Vector nodes, links;  // probability per capacity
  double any = 0;       // that at least one is overloaded
  double standard_error = 0;
  double excess = 0;  // mean traffic beyond the capacities
  std::size_t samples = 0;
};
Overload measure_overload(const SliceInstance& instance, const SlicePlan& plan, const UncertainDemand& demand,
                          std::uint64_t seed, TrialRates which = TrialRates::fresh);

}  // namespace bridle
