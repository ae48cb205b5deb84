// What a loop may ask of an iterate, whatever its representation: every verb has one meaning, and it is said
// here. G is the direction of the step that is being put together, r the residual A x - b (in the row
// metric).
#pragma once

#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "bridle/algorithms/iterate.hpp"
#include "bridle/core/sampling.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

// Three independent draws of the rows: for the dual step, and for the two factors of the penalty.
struct RowTriple {
  Sample zeta, zeta1, zeta2;
};

// Stands for what gives an iterate its samples xi (SteppedMethod::Draw).
struct SomeDraw {
  Sample operator()();                         // the next one
  Sample upcoming(std::uint64_t ahead) const;  // the one `ahead` after the last
  void between_pieces() const;                 // of a large batch: may leave the step by an exception
};

// What every loop has: its state, and the samples drawn so far.
template <class It>
concept StoredIterate = requires(It& it, const It& seen, Iterate& out) {
  { it.draws() } -> std::same_as<std::uint64_t&>;
  // out <- the state. Changes nothing.
  seen.write_to(out);
  // out <- the state, and goes on from just what is written: from here on an iterate built from `out` takes
  // the same steps bit for bit. Representations that store something else take it up anew.
  it.settle(out);
  it.read_in(std::as_const(out));  // goes on from another state, as one built from it does
};

// Where it says so, samples are made ready before they are drawn, and a draw gives their places among those
// made ready last.
template <class It>
concept PreparingIterate = requires(It& it, const It& seen, std::span<const Sample> samples, double draws) {
  { seen.makes_ready() } -> std::same_as<bool>;
  it.make_ready(samples);
  { it.expect_draws(draws) } -> std::same_as<bool>;  // that are yet to come; true: it took time
};

// Known rows, Algorithms 1 and 3 and the rivals.
template <class It>
concept RowsIterate = StoredIterate<It> && requires(It& it, double number) {
  it.dual_step(number);            // r = A x - b;  y <- y + eta r
  it.add_constraint_pull(number);  // G += A'(y + rho r)
};

// x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z), from the x before the step
template <class It>
concept SmoothingIterate = requires(It& it, const Parameters& p) {
  it.primal_and_smoothing_step(p);
};

// G <- the mean of grad f(x, xi) over a batch of new samples
template <class It>
concept SamplingIterate = requires(It& it, Index batch, SomeDraw draw) {
  it.sample_gradient(batch, draw);
};

// STORM's estimate dhat of grad f(x).
template <class It>
concept StormIterate = requires(It& it, double alpha, Index batch, SomeDraw draw) {
  it.start_estimate(batch, draw);  // dhat <- the mean of grad f(x, xi) over a batch of new samples
  it.use_estimate();               // G <- dhat
  // dhat <- grad f(x, xi) + (1 - alpha)(dhat - grad f(x_old, xi)), both means over one batch of new samples
  it.update_estimate(alpha, batch, draw);
};

// Algorithm 1.
template <class It>
concept SmoothedIterate = RowsIterate<It> && SamplingIterate<It> && SmoothingIterate<It>;

// Algorithm 3.
template <class It>
concept EstimatingIterate = RowsIterate<It> && StormIterate<It> && SmoothingIterate<It>;

// Algorithm 2: rows through draws.
template <class It>
concept SampledRowsIterate = StoredIterate<It> && SamplingIterate<It> && SmoothingIterate<It> &&
    requires(It& it, double number, Sample zeta) {
  it.guarded_dual_step(number, number, zeta);  // y <- y + eta (A_zeta x - b_zeta);  y <- 0 where |y| >= bound
  it.add_constraint_pull(number, zeta, zeta);  // G += A_zeta1'(y + rho (A_zeta2 x - b_zeta2))
};

// Algorithm 4: estimates dhat of grad f(x), chat of A x - b, phat of A'(y + rho (A x - b)).
template <class It>
concept EstimatedRowsIterate = StoredIterate<It> && SmoothingIterate<It> &&
    requires(It& it, double number, Index batch, SomeDraw draw, Sample zeta,
             const std::vector<RowTriple>& zetas) {
  it.start_estimates(batch, draw, number, zetas);  // means over a batch and over these draws, at x and y
  it.estimated_dual_step(number, number);          // y <- y + eta chat;  y <- 0 where |y| >= bound
  // phat <- p(x, y) + (1 - alpha)(phat - p(x_old, y_old)), p the drawn A_zeta1'(y + rho (A_zeta2 x -
  // b_zeta2)), with the rho given first and, at the old point, the one given second
  it.update_pull_estimate(number, number, number, zeta, zeta);
  it.use_estimates();                              // G <- dhat + phat
  it.update_estimates(number, batch, draw, zeta);  // dhat and chat, as STORM's, at the new x
};

// The rivals, which take x alone a step, look at rows without a dual step, or see all samples.
template <class It>
concept PlainIterate = RowsIterate<It> && requires(It& it, double number) {
  it.measure_residual();           // r = A x - b;  y stays
  it.primal_step(number, number);  // x <- proj_X(x - tau (G + mu (x - z)));  z stays
};
template <class It>
concept SampledPlainIterate = PlainIterate<It> && SamplingIterate<It>;
template <class It>
concept EstimatingPlainIterate = PlainIterate<It> && StormIterate<It>;
template <class It>
concept PolyakPlainIterate = PlainIterate<It> && requires(It& it, double alpha, Index batch, SomeDraw draw) {
  it.start_estimate(batch, draw);         // as STORM's
  it.use_estimate();                      // G <- dhat
  it.blend_estimate(alpha, batch, draw);  // dhat <- (1 - alpha) dhat + alpha grad f(x, xi), over a batch
};

// The outer dual step of Stoc-iALM: y <- y + eta min(1, share |c_1|/|c|) c with c = A x - b (or its mean over
// these draws), c_1 that of the first such step, whose length the state keeps as its own.
template <class It>
concept OuterDualIterate = requires(It& it, double number) {
  it.outer_dual_step(number, number);
};
template <class It>
concept DrawnOuterDualIterate = requires(It& it, double number, const std::vector<RowTriple>& zetas) {
  it.outer_dual_step(number, number, zetas);
};

template <class It>
concept FullGradientIterate = PlainIterate<It> && requires(It& it, double beta) {
  it.full_gradient();                  // G <- grad f(x)
  it.smoothing_step_from_new_x(beta);  // z <- z + beta (x - z), from the x after the step
};

}  // namespace bridle
