// The iterate of Algorithm 1 for sparse linear models: a step costs the sample's nonzeros and m^2, however
// many variables there are.
//
// Without a sample x and z move by two modes u, v of one rate each (modes.hpp), pushed along A'w by the rows.
// So u = phi_u uhat + A'e_u, v = phi_v vhat + A'e_v with scalars phi and e in R^m: uhat, vhat change on the
// sample's support only. With A a_i for every sample and A A' at hand, a_i'x and A x follow in O(nnz + m^2).
//
// When a phi gets small it is multiplied by a power of two; coordinates carry a mark (mode_pairs.hpp) and
// catch up when they are next touched. Exact, but for rounding.
#pragma once

#include "bridle/algorithms/lazy_rows.hpp"
#include "bridle/algorithms/linear_iterate.hpp"
#include "bridle/algorithms/packed_samples.hpp"

namespace bridle {

class LazyIterate : public LinearIterate<LazyIterate> {
 public:
  LazyIterate(const StandardForm& form, Iterate start, const Modes& modes);

  // x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_and_smoothing_step(const Parameters& p);

 private:
  friend LinearIterate<LazyIterate>;
  // phi is multiplied by 1 / smallest_scale when it falls below it.
  static constexpr double smallest_scale = 0x1p-400;

  // Asks the memory for the variables of a sample that comes soon, for the row of a later one, and for where
  // the row of an even later one is.
  template <class Draw>
  [[gnu::always_inline]] void expect(const Draw& draw) const {
    const PairSelection chosen = samples_[static_cast<Index>(draw.upcoming(4))].chosen;
    const auto* const pairs = reinterpret_cast<const double*>(pairs_.data());
    for (Index e = 0; e < chosen.count; ++e) prefetch_scattered(pairs + chosen.places[e]);
    samples_.expect(static_cast<Index>(draw.upcoming(8)));
    samples_.expect_start(static_cast<Index>(draw.upcoming(12)));
  }
  void write_out();
  void read_in();
  double product_with(Index sample);  // a_i'x
  double label_of(Index sample) const { return samples_[sample].label(); }
  ModePair& pair(Index j) { return pairs_[static_cast<std::size_t>(j)]; }
  ModePair up_to_date(Index j) { return pair(j) * factors_[mark_of(pair(j))]; }
  void rescale();
  void move_variables(double tau);
  void keep_within_bounds();

  Modes modes_;
  PackedSamples samples_;
  LargeArray<ModePair> pairs_;  // uhat, vhat
  ModePair scale_ = {1, 1};     // phi
  int mark_ = 0;                // of pairs that are up to date: rescalings of phi
  MarkFactors factors_;         // that the others have missed
  LazyRows pull_;
  std::optional<Bounds> bounds_;  // where some variable has one
};

}  // namespace bridle
