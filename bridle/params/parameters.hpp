// The parameters of the method, how they shrink over a run, and why they have the values they have.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace bridle {

struct Parameters {
  double tau = 0;    // primal step
  double eta = 0;    // dual step
  double beta = 0;   // smoothing step: how fast z follows x
  double mu = 0;     // weight of the smoothing term (mu/2)|x - z|^2
  double rho = 0;    // penalty weight
  double alpha = 1;  // STORM's momentum; 1 is the plain gradient

  template <class Archive>
  void transfer(Archive& archive) {
    archive(tau, eta, beta, mu, rho, alpha);
  }
};

// The steps tau, eta, beta shrink together by one factor in (0, 1]; mu stays, and rho may grow as they
// shrink.
enum class Decay {
  constant,
  linear,        // 1 - f
  cosine,        // (1 + cos(pi f)) / 2
  inverse_sqrt,  // 1 / sqrt(1 + t / warm-up)
  geometric      // (1 - f) floor^f
};

constexpr std::string_view to_string(Decay decay) {
  switch (decay) {
    case Decay::constant:
      return "constant";
    case Decay::linear:
      return "linear";
    case Decay::cosine:
      return "cosine";
    case Decay::inverse_sqrt:
      return "inverse-sqrt";
    case Decay::geometric:
      return "geometric";
  }
  return "unknown";
}
inline constexpr Decay all_decays[] = {Decay::constant, Decay::linear, Decay::cosine, Decay::inverse_sqrt,
                                       Decay::geometric};
constexpr Decay last_value(Decay) { return Decay::geometric; }

// Progress f runs from `begin` to `end` while the stage's iterations pass.
struct Schedule {
  Decay decay = Decay::constant;
  double begin = 0, end = 1;
  double floor = 1;           // geometric: the factor the steps are multiplied by at f = 1, besides 1 - f
  double penalty_growth = 1;  // rho grows as 1/tau, to this many times its first value at most

  template <class Archive>
  void transfer(Archive& archive) {
    archive(decay, begin, end, floor, penalty_growth);
  }

  double progress(std::uint64_t iteration, std::uint64_t iterations) const {
    return begin + (end - begin) * static_cast<double>(iteration) / static_cast<double>(iterations);
  }
  double factor(std::uint64_t iteration, std::uint64_t iterations) const {
    const double f = progress(iteration, iterations);
    switch (decay) {
      case Decay::constant:
        return 1;
      case Decay::linear:
        return 1 - f;
      case Decay::cosine:
        return 0.5 * (1 + std::cos(std::numbers::pi * f));
      case Decay::inverse_sqrt:
        return 1 / std::sqrt(1 + 100 * f);
      case Decay::geometric:
        return (1 - f) * std::pow(floor, f);
    }
    return 1;
  }
};

inline constexpr double largest_beta = 0.9;

// A stretch of iterations with fixed parameters and one schedule.
struct Stage {
  Parameters parameters;
  Schedule schedule;
  std::uint64_t iterations = 0;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(parameters, schedule, iterations);
  }

  // The parameters of iteration t = 0, 1, ... of this stage.
  Parameters at(std::uint64_t t) const { return shrunk(schedule.factor(t, iterations)); }
  Parameters shrunk(double factor) const {
    Parameters p = parameters;
    p.tau *= factor;
    p.eta *= factor;
    p.beta = std::min(p.beta * factor, largest_beta);
    if (factor * schedule.penalty_growth > 1)  // tau rho stays: the rows are held the better the less x moves
      p.rho /= factor;
    else
      p.rho *= schedule.penalty_growth;
    if (p.alpha < 1) p.alpha *= factor;  // the variance an estimate keeps falls with the step
    return p;
  }
};

// One line of "the parameters chosen and why".
struct Reason {
  std::string symbol;
  double value;
  std::string why;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(symbol, value, why);
  }
};
using Reasons = std::vector<Reason>;

}  // namespace bridle
