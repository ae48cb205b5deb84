#include "bridle/algorithms/lazy_point.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {

LazyPoint::LazyPoint(Index variables, const Modes& modes, double decay)
    : modes_(modes),
      decay_(decay),
      share_grows_(decay == 0),
      coordinates_(static_cast<std::size_t>(variables)) {}

bool LazyPoint::possible(const Modes& modes, double decay) {
  constexpr double apart = 1e-3;
  if (std::abs(modes.v_rate - decay) < apart * modes.v_rate) return false;
  return decay == 0 || std::abs(modes.u_rate - decay) >= apart * std::max(decay, modes.v_rate);
}

void LazyPoint::read_in(ConstVectorRef x, ConstVectorRef z, ConstVectorRef d) {
  now_ = {};
  now_.u_share = share_grows_ ? 0 : 1 / (modes_.u_rate - decay_);
  now_.v_share = 1 / (modes_.v_rate - decay_);
  previous_ = now_;
  missed_.assign(1, {1, 1, 1, 0});
  for (Index j = 0; j < x.size(); ++j)
    coordinates_[static_cast<std::size_t>(j)] = {x[j] + modes_.u_of_z * z[j] + now_.u_share * d[j],
                                                 x[j] + modes_.v_of_z * z[j] + now_.v_share * d[j], d[j], 0};
}

void LazyPoint::write_out(VectorRef x, VectorRef z, VectorRef d) const {
  for (Index j = 0; j < x.size(); ++j) {
    Coordinate at = coordinates_[static_cast<std::size_t>(j)];
    catch_up(at);
    d[j] = now_.d_scale * at.d;
    const double u = now_.u_scale * at.u - now_.u_share * d[j], v = now_.v_scale * at.v - now_.v_share * d[j];
    x[j] = modes_.x_of_u * u + modes_.x_of_v * v;
    z[j] = modes_.z_of_u() * u + modes_.z_of_v() * v;
  }
}

void LazyPoint::advance(double tau) {
  previous_ = now_;
  now_.u_scale *= 1 - tau * modes_.u_rate;
  now_.v_scale *= 1 - tau * modes_.v_rate;
  now_.d_scale *= 1 - tau * decay_;
  if (share_grows_) now_.u_share = (1 - tau * modes_.u_rate) * now_.u_share + tau;
  if (std::min({now_.u_scale, now_.v_scale, now_.d_scale}) < smallest_scale) rescale();
}

// The previous scalars belong to the same hats: they are rescaled too.
void LazyPoint::rescale() {
  Coordinate factor{1, 1, 1, 0};
  const auto shrink = [](double& hat, double& scale, double& previous) {
    if (scale >= smallest_scale) return;
    hat = smallest_scale;
    scale /= smallest_scale;
    previous /= smallest_scale;
  };
  shrink(factor.u, now_.u_scale, previous_.u_scale);
  shrink(factor.v, now_.v_scale, previous_.v_scale);
  shrink(factor.d, now_.d_scale, previous_.d_scale);
  for (Coordinate& missed : missed_) {
    missed.u *= factor.u;
    missed.v *= factor.v;
    missed.d *= factor.d;
  }
  missed_.push_back({1, 1, 1, 0});
}

void LazyPoint::catch_up(Coordinate& at) const {
  const Coordinate& missed = missed_[static_cast<std::size_t>(at.rescalings)];
  at.u *= missed.u;
  at.v *= missed.v;
  at.d *= missed.d;
  at.rescalings = static_cast<std::int64_t>(missed_.size()) - 1;
}

}  // namespace bridle
