// The iterate of Algorithm 1 for sparse linear models: a step costs the sample's nonzeros and m^2, however many
// variables there are.
//
// Without a sample x and z move by two modes u, v of one rate each (modes.hpp), pushed along A'w by the rows.
// So u = phi_u uhat + A'e_u, v = phi_v vhat + A'e_v with scalars phi and e in R^m: uhat, vhat change on the
// sample's support only. With A a_i for every sample and A A' at hand, a_i'x and A x follow in O(nnz + m^2).
//
// uhat and vhat are kept in the user's units (C x), so that a_i'x needs no scales. When a phi gets small it is
// multiplied by a power of two; a coordinate catches up when it is next touched. Exact, but for rounding.
#pragma once

#include <vector>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/algorithms/modes.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {

class LazyIterate {
 public:
  LazyIterate(const StandardForm& form, Iterate start, const Modes& modes);

  // Writes out x and z, O(n).
  const Iterate& state() const;
  std::uint64_t& draws() { return now_.draws; }

  // The samples that come soon and a little later: asks the memory for their variables and for their rows.
  void expect(Sample soon, Sample later) const;

  // y <- y + eta (A x - b)
  void dual_step(double eta);
  // The slopes of the losses at x, of a batch of samples
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) terms_.push_back(slope_at(static_cast<Index>(draw()), batch));
  }
  // w = y + rho (A x - b)
  void add_constraint_pull(double rho) { weight_ = now_.y + rho * residual_; }
  // x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_and_smoothing_step(const Parameters& p);

 private:
  struct alignas(32) Coordinate {
    double u, v;         // uhat, vhat, times C
    double weight;       // C^2
    std::uint32_t u_age, v_age;  // the rescalings that have been applied
  };
  struct Term {
    Index sample;
    double slope;
  };

  void write_out();
  void read_in();
  Term slope_at(Index sample, Index batch);
  void catch_up(Coordinate& c) const;
  void rescale();
  void move_variables(double tau);
  void move_rows(double tau);
  void move_slacks(const Parameters& p);
  void keep_within_bounds();

  const StandardForm& form_;
  const LinearModel& model_;
  const SparseRows& data_;
  Modes modes_;
  Iterate now_;          // x and z of the variables: only after `write_out`
  bool written_ = true;  // they are up to date

  std::vector<Coordinate> coordinates_;
  double u_scale_ = 1, v_scale_ = 1;        // phi
  std::uint32_t u_age_ = 0, v_age_ = 0;     // rescalings of phi
  Vector u_pull_, v_pull_, x_pull_;         // e_u, e_v, and x's share x_of_u e_u + x_of_v e_v
  Vector u_rows_, v_rows_;                  // A u, A v (without slacks)
  Vector residual_, weight_, scratch_, step_;
  Matrix sample_rows_;                      // column i: A a_i
  Matrix gram_;                             // A A'
  std::optional<Bounds> bounds_;            // in the user's units, where some variable has one
  std::vector<Term> terms_;
};

}  // namespace bridle
