// The numbers that parameters of Bridle's own rules are made of, each with where it comes from. The theory's
// formulas (theory.hpp) have the numbers of the paper's theorems and need no table.
#pragma once

#include <string_view>

namespace bridle {

struct Constant {
  double value;
  std::string_view meaning;
  std::string_view source;

  constexpr operator double() const { return value; }
};

namespace source {
inline constexpr std::string_view theorem = "the paper's theorems: mu = 4 L_f";
inline constexpr std::string_view smooth = "the paper: steps of at most 1/L_K, L_K = L + rho + mu";
inline constexpr std::string_view zoo = "measured in the zoo";
inline constexpr std::string_view cycles = "docs/parameters.md, limit cycles";
inline constexpr std::string_view critical = "docs/parameters.md, critical damping of x and y";
inline constexpr std::string_view step = "a step must not overshoot: tau times the curvature stays below 1";
inline constexpr std::string_view caution = "caution: far from what sound runs show";
inline constexpr std::string_view chance =
    "the logarithm of a root mean square of 8 numbers is off by a quarter";
inline constexpr std::string_view normal = "normal numbers are rarely so large";
inline constexpr std::string_view small = "k normal numbers are all below 2^(-20/k): one in a million";
inline constexpr std::string_view cost = "measured: docs/performance.md, what people really have";
inline constexpr std::string_view network = "measured on the networks of docs/consensus.md";
inline constexpr std::string_view custom = "what users of the method do; not tuned";
}  // namespace source

// Which regime, and the units of the columns.
inline constexpr Constant noisy_most_rows{10, "most rows of the noisy regime", source::zoo};
inline constexpr Constant noisy_ratio{1.5, "least R/L of the noisy regime", source::zoo};
inline constexpr Constant rarest_column{1.0 / 30, "floor of the root of a column's frequency", source::zoo};
inline constexpr Constant few_entries{8, "entries of a rare column that count as much as all columns",
                                      source::chance};
inline constexpr Constant chance_octaves{4, "octaves that few entries are off by chance", source::normal};
inline constexpr Constant downward_octaves{20, "octaves downwards that k entries are off by chance, times k",
                                           source::small};
inline constexpr Constant column_ratio{30, "largest ratio of two column scales, stiff", source::zoo};

// Noisy: a linear model whose samples disagree.
inline constexpr Constant noisy_mu{4, "mu / L", source::theorem};
inline constexpr Constant noisy_rho{1.4, "(rho + L) / R before the limits", source::step};
inline constexpr Constant noisy_rho_low{2, "least rho / L", source::cycles};
inline constexpr Constant noisy_rho_high{8, "largest rho / L", source::zoo};
inline constexpr Constant noisy_tau_samples{0.5, "largest tau R", source::step};
inline constexpr Constant noisy_tau_total{1, "largest tau (L + rho + mu)", source::smooth};
inline constexpr Constant damping{4, "tau (L + rho + mu)^2 / eta", source::critical};
inline constexpr Constant noisy_beta{0.5, "beta / (tau mu)", source::zoo};

// Stiff: everything else.
inline constexpr Constant stiff_mu{2, "mu / L", source::zoo};
inline constexpr Constant stiff_rho{20, "rho / L", source::cycles};
inline constexpr Constant stiff_total{23, "(L + mu + rho) / L", source::step};
inline constexpr Constant stiff_eta{0.75, "eta / ((23 L)^2 tau)", source::critical};
inline constexpr Constant search_stages{10, "stages at full step", source::zoo};
inline constexpr Constant decay_stages{8, "stages with shrinking steps", source::zoo};
inline constexpr Constant search_share{0.1, "share of the budget at full step", source::zoo};
inline constexpr Constant decay_floor{100, "last steps: this over the number of iterations", source::zoo};
inline constexpr Constant linear_curvature{0.01, "L (1 + |x|) / |grad f| of a linear objective", source::zoo};

// Both: with noise.
inline constexpr Constant penalty_growth{1e6, "largest growth of rho while the steps shrink", source::zoo};

// Samples of a step, where rows, bounds or waiting make it dear.
inline constexpr Constant moved_cost{0.15, "a number moved in every step, over a nonzero of a sample",
                                     source::cost};
inline constexpr Constant sample_cost{20, "nonzeros that a sample costs besides its own", source::cost};
inline constexpr Constant waiting_cost{25, "and a lazy step besides its samples", source::cost};
inline constexpr Constant batch_worth{1.25, "least gain of a batch", source::caution};
inline constexpr Constant batch_slack{1.05, "that a smaller batch may cost, over the least", source::caution};
inline constexpr Constant batches_per_pass{500, "least batches in a pass over the data", source::caution};

// What is done about trouble.
inline constexpr Constant trust_low{0.5, "least given L that is believed, over the measured",
                                    source::caution};
inline constexpr Constant trust_high{10, "largest given L that is believed, over the measured",
                                     source::caution};
inline constexpr Constant blow_up_factor{16, "L is raised by this when the iterates blow up", source::zoo};
inline constexpr Constant stall_factor{4, "L is raised by this when z goes in circles", source::zoo};
inline constexpr Constant most_safety{1e12, "largest product of such factors", source::caution};
inline constexpr Constant most_stall_safety{1e4, "the same for circles alone", source::caution};
inline constexpr Constant stalled_residual{0.8, "a residual has stalled above this share of the last",
                                           source::zoo};
inline constexpr Constant circling{0.25, "z goes in circles below this net share of its path", source::zoo};
inline constexpr Constant noise_floor{3, "a residual below this times sigma/(23 L) is noise", source::zoo};

// Estimates that are carried along (STORM), and the dual safeguard.
inline constexpr Constant storm_alpha{0.2, "alpha at full step", source::zoo};
inline constexpr Constant dual_bound_factor{1000, "M_y over |gradient| + L (1 + |x|)", source::caution};

// Networks.
inline constexpr Constant network_tau{0.5, "tau R", source::step};
inline constexpr Constant network_mu{0.2, "mu / L", source::network};
inline constexpr Constant network_rho{0.5, "tau rho (|A|^2 + spread of a draw)", source::step};
inline constexpr Constant network_beta{4, "beta / (tau mu)", source::network};

// Rivals.
inline constexpr Constant rival_rho{10, "rho |A|^2 / L_f", source::custom};
inline constexpr Constant rival_mu{2, "mu / L_f", source::custom};
inline constexpr Constant rival_tau{0.5, "tau (L_f + mu + rho |A|^2)", source::step};
inline constexpr Constant rival_eta{0.1, "eta / rho", source::custom};
inline constexpr Constant rival_beta{0.1, "beta / (mu tau)", source::custom};
inline constexpr Constant rival_alpha{0.1, "alpha", source::custom};

struct NamedConstant {
  std::string_view name;
  Constant constant;
};
#define BRIDLE_CONSTANT(name) \
  NamedConstant { #name, name }
inline constexpr NamedConstant all_constants[] = {
    BRIDLE_CONSTANT(noisy_most_rows),   BRIDLE_CONSTANT(noisy_ratio),      BRIDLE_CONSTANT(rarest_column),
    BRIDLE_CONSTANT(few_entries),       BRIDLE_CONSTANT(chance_octaves),   BRIDLE_CONSTANT(downward_octaves),
    BRIDLE_CONSTANT(column_ratio),      BRIDLE_CONSTANT(noisy_mu),         BRIDLE_CONSTANT(noisy_rho),
    BRIDLE_CONSTANT(noisy_rho_low),     BRIDLE_CONSTANT(noisy_rho_high),   BRIDLE_CONSTANT(noisy_tau_samples),
    BRIDLE_CONSTANT(noisy_tau_total),   BRIDLE_CONSTANT(damping),          BRIDLE_CONSTANT(noisy_beta),
    BRIDLE_CONSTANT(stiff_mu),          BRIDLE_CONSTANT(stiff_rho),        BRIDLE_CONSTANT(stiff_total),
    BRIDLE_CONSTANT(stiff_eta),         BRIDLE_CONSTANT(search_stages),    BRIDLE_CONSTANT(decay_stages),
    BRIDLE_CONSTANT(search_share),      BRIDLE_CONSTANT(decay_floor),      BRIDLE_CONSTANT(linear_curvature),
    BRIDLE_CONSTANT(penalty_growth),    BRIDLE_CONSTANT(trust_low),        BRIDLE_CONSTANT(trust_high),
    BRIDLE_CONSTANT(blow_up_factor),    BRIDLE_CONSTANT(stall_factor),     BRIDLE_CONSTANT(most_safety),
    BRIDLE_CONSTANT(most_stall_safety), BRIDLE_CONSTANT(stalled_residual), BRIDLE_CONSTANT(circling),
    BRIDLE_CONSTANT(noise_floor),       BRIDLE_CONSTANT(storm_alpha),      BRIDLE_CONSTANT(dual_bound_factor),
    BRIDLE_CONSTANT(network_tau),       BRIDLE_CONSTANT(network_mu),       BRIDLE_CONSTANT(network_rho),
    BRIDLE_CONSTANT(network_beta),      BRIDLE_CONSTANT(rival_rho),        BRIDLE_CONSTANT(rival_mu),
    BRIDLE_CONSTANT(rival_tau),         BRIDLE_CONSTANT(rival_eta),        BRIDLE_CONSTANT(rival_beta),
    BRIDLE_CONSTANT(rival_alpha),       BRIDLE_CONSTANT(moved_cost),       BRIDLE_CONSTANT(sample_cost),
    BRIDLE_CONSTANT(waiting_cost),      BRIDLE_CONSTANT(batch_worth),      BRIDLE_CONSTANT(batch_slack),
    BRIDLE_CONSTANT(batches_per_pass),
};
#undef BRIDLE_CONSTANT

}  // namespace bridle
