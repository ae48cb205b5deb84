// How a coordinate of x and z moves when no sample touches it.
//
// With beta = b tau for a constant b, and a ridge r, a step multiplies (x, z) of all coordinates with that
// ridge by I - tau B, B = (r + mu, -mu; -b, b), whatever tau is at the time: all steps have the same two
// modes. With x + p z for the left eigenvectors (1, p) of B, a step with forcing g is
//
//     u = x + p_u z:   u <- (1 - tau lambda_u) u - tau g          v likewise.
//
// Without a ridge lambda_u = 0: u is conserved but for the forcing, and v = x - z decays.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bridle/algorithms/representations/half_lanes.hpp"
#include "bridle/core/types.hpp"
#include "bridle/params/parameters.hpp"

namespace bridle {

struct Modes {
  double ridge = 0;               // r
  double u_rate = 0, v_rate = 0;  // lambda, the smaller one first
  double u_of_z = 0, v_of_z = 0;  // p
  double x_of_u = 0, x_of_v = 0;  // x = x_of_u u + x_of_v v
  double z_of_u() const { return 1 / (u_of_z - v_of_z); }
  double z_of_v() const { return -z_of_u(); }

  // Nothing when z stands still, when beta is not in proportion to tau, or when steps overshoot.
  static std::optional<Modes> of(const Parameters& p, double ridge) {
    if (!(p.tau > 0) || !(p.beta > 0) || !(p.beta <= largest_beta)) return std::nullopt;
    const double b = p.beta / p.tau, half = 0.5 * (ridge + p.mu + b);
    const double apart = std::sqrt(std::max(0.0, half * half - b * ridge));
    Modes out;
    out.ridge = ridge;
    out.v_rate = half + apart;
    out.u_rate = b * ridge / out.v_rate;  // the product of the eigenvalues is b r
    out.u_of_z = (ridge + p.mu - out.u_rate) / b;
    out.v_of_z = (ridge + p.mu - out.v_rate) / b;
    if (!(apart > 1e-3 * half) || !(p.tau * out.v_rate < 0.99)) return std::nullopt;
    out.x_of_v = out.u_of_z / (out.u_of_z - out.v_of_z);
    out.x_of_u = 1 - out.x_of_v;
    return out;
  }
};

// The variables in classes of one ridge each.
struct ModeClasses {
  static constexpr Index most = 64;

  std::vector<Modes> modes;  // of each class
  std::shared_ptr<const std::vector<std::uint8_t>>
      class_of;  // of each variable; null where there is one class

  Index count() const { return static_cast<Index>(modes.size()); }
  // Numbers that a row has, one for each class: whole halves of lanes where there are several.
  Index numbers_of_a_row() const { return count() == 1 ? 1 : in_half_lanes(count()); }
  Index of(Index variable) const { return class_of ? (*class_of)[static_cast<std::size_t>(variable)] : 0; }
  double ridge_of(Index variable) const { return modes[static_cast<std::size_t>(of(variable))].ridge; }
};

}  // namespace bridle
