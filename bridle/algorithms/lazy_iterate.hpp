// The iterate of Algorithm 1 for sparse linear models: a step costs the sample's nonzeros and m^2, however
// many variables there are.
//
// Without a sample x and z move by two modes u, v of one rate each (modes.hpp), pushed along A'w by the rows.
// So u = phi_u uhat + A'e_u, v = phi_v vhat + A'e_v with scalars phi and e in R^m: uhat, vhat change on the
// sample's support only. With A a_i for every sample and A A' at hand, a_i'x and A x follow in O(nnz + m^2).
//
// When a phi gets small it is multiplied by a power of two; coordinates catch up when they are next touched,
// a cache line at a time. Exact, but for rounding.
#pragma once

#include "bridle/algorithms/linear_iterate.hpp"
#include "bridle/algorithms/modes.hpp"
#include "bridle/core/large_array.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle {

class LazyIterate : public LinearIterate<LazyIterate> {
 public:
  LazyIterate(const StandardForm& form, Iterate start, const Modes& modes);

  // The samples that come soon and a little later: asks the memory for their variables and for their rows.
  [[gnu::always_inline]] void expect(Sample soon, Sample later) const {
    const auto* starts = data_.outerIndexPtr();
    const auto* columns = data_.innerIndexPtr();
    for (auto e = starts[soon]; e < starts[soon + 1]; ++e) {
      const std::size_t line = static_cast<std::size_t>(columns[e]) / in_line;
      prefetch_for_writing(&lines_[line]);
      prefetch_for_writing(&ages_[line]);
    }
    prefetch(columns + starts[later], columns + starts[later + 1]);
    prefetch(values_ + starts[later], values_ + starts[later + 1]);
    prefetch(&model_.labels()[static_cast<Index>(later)], 1);
    prefetch(sample_rows_.col(static_cast<Index>(later)).data(), sample_rows_.rows());
  }

  // y <- y + eta (A x - b)
  void dual_step(double eta) { dual_step_from(modes_.x_of_u * u_rows_ + modes_.x_of_v * v_rows_, eta); }
  // x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_and_smoothing_step(const Parameters& p);

 private:
  friend LinearIterate<LazyIterate>;
  static constexpr std::size_t in_line = 4;
  using Pair __attribute__((vector_size(16))) = double;  // of u and v: uhat and vhat, and what goes with them
  struct alignas(cache_line) Line {
    Pair at[in_line];
  };
  struct Age {
    std::uint16_t u = 0, v = 0;  // rescalings of phi that a line has been through
    bool operator==(const Age&) const = default;
  };
  // phi is multiplied by 1 / smallest_scale when it falls below it. After two rescalings what is left of a
  // coordinate is below 1e-120 of what it was.
  static constexpr double smallest_scale = 0x1p-400;
  static constexpr double overdue[] = {1, smallest_scale, 0};

  void write_out();
  void read_in();
  double product_with(Index sample);  // a_i'x
  static std::size_t line_of(Index j) { return static_cast<std::size_t>(j) / in_line; }
  Pair& coordinate(Index j) { return lines_[line_of(j)].at[static_cast<std::size_t>(j) % in_line]; }
  // The same, brought up to date.
  Pair& touch(Index j) {
    if (ages_[line_of(j)] != age_) catch_up(line_of(j));
    return coordinate(j);
  }
  void catch_up(std::size_t line) {
    const Age age = ages_[line];
    const Pair factor = {overdue[std::min(age_.u - age.u, 2)], overdue[std::min(age_.v - age.v, 2)]};
    for (Pair& pair : lines_[line].at) pair *= factor;
    ages_[line] = age_;
  }
  void rescale();
  void move_variables(double tau);
  void move_rows(double tau);
  void keep_within_bounds();

  const SparseRows& data_;
  std::vector<double> scaled_values_;  // of the data times C, where C is not 1
  const double* values_;               // of the data times C
  Modes modes_;

  LargeArray<Line> lines_;
  std::vector<Age> ages_;            // of the lines
  Age age_;                          // of phi
  Pair scale_ = {1, 1};              // phi
  Vector u_pull_, v_pull_, x_pull_;  // e_u, e_v, and x's share x_of_u e_u + x_of_v e_v
  Vector u_rows_, v_rows_;           // A u, A v (without slacks)
  Vector step_;
  Matrix sample_rows_;            // column i: A a_i
  Matrix gram_;                   // A A'
  std::optional<Bounds> bounds_;  // where some variable has one
};

}  // namespace bridle
