// x and z of a linear model's variables, and a direction d that is carried along where there is one (STORM's
// estimate, or A'y): a step costs the coordinates that a sparse row touches, however many variables there
// are.
//
// Without such a row a step is  x <- x - tau (d + r x + mu (x - z)),  z <- z + beta (x_old - z),  d <- (1 -
// alpha) d. In the modes u = x + p_u z and v = x + p_v z (modes.hpp) that is  u <- (1 - tau lambda_u) u - tau
// d, so that
//
//     u' = u + s_u d  is only multiplied by 1 - tau lambda_u  when  s_u <- ((1 - tau lambda_u) s_u + tau) /
//     (1 - alpha),
//
// and v' likewise. s = 1 / (lambda - alpha/tau) stays as it is. Where that need not exist (alpha = 0, as
// lambda_u may be) s_u starts from 0 and is about the sum of the steps; when it gets large, so that digits
// are lost, the point must be renewed. Without a direction u' = u and v' = v. Stored are uhat = u' / phi_u,
// vhat and dhat with scalars phi; a row that moves x or d changes them on its support only. Small phi are
// multiplied by a power of two; coordinates carry a mark (lazy_coordinates.hpp) and catch up when they are
// next touched. Exact, but for rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "bridle/algorithms/representations/lazy_coordinates.hpp"
#include "bridle/algorithms/representations/modes.hpp"
#include "bridle/core/large_array.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle {

// Whether s exists and is not so large that the sums cancel. `decay`: alpha / tau
inline bool can_carry(const Modes& modes, double decay) {
  constexpr double apart = 1e-3;
  if (std::abs(modes.v_rate - decay) < apart * modes.v_rate) return false;
  return decay == 0 || std::abs(modes.u_rate - decay) >= apart * std::max(decay, modes.v_rate);
}

// Coordinate: ModePair, or ModeTriple where a direction is carried.
template <class Coordinate>
class LazyPoint {
 public:
  static constexpr bool carries = std::is_same_v<Coordinate, ModeTriple>;

  // Of one variable
  struct Values {
    double x, z, d;
  };

  // `decay`: alpha / tau, the same in all steps.
  LazyPoint(Index variables, const Modes& modes, double decay = 0)
      : modes_(modes), decay_(decay), coordinates_(static_cast<std::size_t>(variables)) {
    start_scales();
  }

  // Takes the variables in: values_of(j) are those of variable j.
  template <class ValuesOf>
  void read_in(ValuesOf&& values_of) {
    start_scales();
    for (Index j = 0; j < variables(); ++j) coordinate(j) = stored(values_of(j));
  }
  // visit(j, values) for all variables; what it does to the values is lost.
  template <class Visit>
  void write_out(Visit&& visit) const {
    for (Index j = 0; j < variables(); ++j) {
      Values values = values_of(now_, up_to_date(j));
      visit(j, values);
    }
  }
  // Writes the variables out and takes them in again, in one pass: what visit(j, values) does to the values
  // counts.
  template <class Visit>
  void renew(Visit&& visit) {
    const Scales old = now_;
    const MarkFactors<Coordinate> missed = factors_;
    start_scales();
    for (Index j = 0; j < variables(); ++j) {
      Values values =
          values_of(old, coordinate(j) * missed[static_cast<std::size_t>(mark_of(coordinate(j)))]);
      visit(j, values);
      coordinate(j) = stored(values);
    }
  }
  // Time to renew: s_u costs four digits and more.
  bool share_is_large() const { return share_grows() && now_.u_share * modes_.v_rate > 1e4; }

  // Brings the coordinates of a row up to date.
  template <class Row>
  void catch_up(const Row& row) {
    for (Index e = 0; e < row.count; ++e)
      coordinate(row.column(e)) = marked(up_to_date(row.column(e)), mark_);
  }
  // Of a sparse row a with uhat, vhat, dhat, which are up to date then.
  template <class Row>
  [[gnu::always_inline]] Coordinate products(const Row& row) {
    Coordinate sum;
    if (!sum_products(coordinates_.data(), row, mark_, sum)) {
      catch_up(row);
      sum_products(coordinates_.data(), row, mark_, sum);
    }
    return sum;
  }
  // a'x, now and before the last `advance`, from the products of a.
  double with_x(const Coordinate& products) const { return x_of(now_, products); }
  double with_previous_x(const Coordinate& products) const requires carries {
    return x_of(previous_, products);
  }

  // A step of x, z and d without a row. After it, and before `keep_in_range`, rows may be subtracted.
  void advance(double tau) {
    if constexpr (carries) {
      previous_ = now_;
      now_.phi *= Coordinate{{1 - tau * modes_.u_rate, 1 - tau * modes_.v_rate, 1 - tau * decay_, 1}};
      if (share_grows()) now_.u_share = (1 - tau * modes_.u_rate) * now_.u_share + tau;
    } else {
      now_.phi *= Coordinate{1 - tau * modes_.u_rate, 1 - tau * modes_.v_rate};
    }
  }
  // What `subtract` takes to move x by -length a, or d by -length a; everything else stays.
  Coordinate step_of_x(double length) const {
    if constexpr (carries)
      return {{length / now_.phi[0], length / now_.phi[1], 0, 0}};
    else
      return length / now_.phi;
  }
  Coordinate step_of_direction(double length) const requires carries {
    return {
        {length * now_.u_share / now_.phi[0], length * now_.v_share / now_.phi[1], length / now_.phi[2], 0}};
  }
  // For rows that are up to date: that caught up, or whose products were taken, since the last
  // `keep_in_range`.
  template <class Row>
  void subtract(const Row& row, const Coordinate& step) {
    bridle::subtract(coordinates_.data(), row, step, mark_);
  }
  // To be called once in a step, after its rows.
  void keep_in_range() {
    bool small = now_.phi[0] < smallest || now_.phi[1] < smallest;
    if constexpr (carries) small = small || now_.phi[2] < smallest;
    if (small) rescale();
  }

  // Without a direction: puts x_j back between two bounds; z_j stays.
  void clamp(Index j, double lower, double upper) requires(!carries) {
    const Coordinate hat = up_to_date(j);
    const double x = x_of(now_, hat);
    if (x < lower || x > upper)
      coordinate(j) = marked(hat + (std::clamp(x, lower, upper) - x) / now_.phi, mark_);
  }

  // Asks the memory for the variables of a row that comes soon.
  [[gnu::always_inline]] void expect(const PackedRow& row) const {
    const auto* const numbers = reinterpret_cast<const double*>(coordinates_.data());
    constexpr auto scale =
        static_cast<Index>(sizeof(Coordinate) / (2 * sizeof(double)));  // places: twice an index
    for (Index e = 0; e < row.count; ++e) prefetch_scattered(numbers + scale * row.places[e]);
  }

 private:
  // phi is multiplied by 1 / smallest when it falls below it.
  static constexpr double smallest = 0x1p-400;

  struct Scales {
    Coordinate phi;
    double u_share = 0, v_share = 0;  // s
  };

  static Coordinate ones() {
    if constexpr (carries)
      return {{1, 1, 1, 1}};
    else
      return Coordinate{1, 1};
  }
  Index variables() const { return static_cast<Index>(coordinates_.size()); }
  bool share_grows() const { return carries && decay_ == 0; }
  Coordinate& coordinate(Index j) { return coordinates_[static_cast<std::size_t>(j)]; }
  Coordinate up_to_date(Index j) const {
    const Coordinate& hat = coordinates_[static_cast<std::size_t>(j)];
    return hat * factors_[static_cast<std::size_t>(mark_of(hat))];
  }

  void start_scales() {
    now_.phi = ones();
    if constexpr (carries) {
      now_.u_share = share_grows() ? 0 : 1 / (modes_.u_rate - decay_);
      now_.v_share = 1 / (modes_.v_rate - decay_);
    }
    previous_ = now_;
    mark_ = 0;
    factors_.fill(ones());
  }

  // For phi = 1.
  Coordinate stored(const Values& at) const {
    const double u = at.x + modes_.u_of_z * at.z, v = at.x + modes_.v_of_z * at.z;
    if constexpr (carries)
      return marked(Coordinate{{u + now_.u_share * at.d, v + now_.v_share * at.d, at.d, 0}}, 0);
    else
      return marked(Coordinate{u, v}, 0);
  }

  Values values_of(const Scales& s, const Coordinate& hat) const {
    double u = s.phi[0] * hat[0], v = s.phi[1] * hat[1], d = 0;
    if constexpr (carries) {
      d = s.phi[2] * hat[2];
      u -= s.u_share * d;
      v -= s.v_share * d;
    }
    return {modes_.x_of_u * u + modes_.x_of_v * v, modes_.z_of_u() * u + modes_.z_of_v() * v, d};
  }
  double x_of(const Scales& s, const Coordinate& hats) const {
    double u = s.phi[0] * hats[0], v = s.phi[1] * hats[1];
    if constexpr (carries) {
      const double d = s.phi[2] * hats[2];
      u -= s.u_share * d;
      v -= s.v_share * d;
    }
    return modes_.x_of_u * u + modes_.x_of_v * v;
  }

  // When the marks are used up, all coordinates catch up and start anew. The previous scales belong to the
  // same hats: they are multiplied too.
  void rescale() {
    if (mark_ + 1 == marks) {
      for (Index j = 0; j < variables(); ++j) coordinate(j) = marked(up_to_date(j), 0);
      mark_ = 0;
      factors_.fill(ones());
    }
    Coordinate factor = ones();
    for (int k = 0; k < (carries ? 3 : 2); ++k)
      if (now_.phi[k] < smallest) {
        factor[k] = smallest;
        now_.phi[k] /= smallest;
        previous_.phi[k] /= smallest;
      }
    for (Coordinate& missed : factors_) missed *= factor;
    factors_[static_cast<std::size_t>(++mark_)] = ones();
  }

  // What all variables of one ridge share. (Variables of several ridges would have one of these each.)
  Modes modes_;
  double decay_;
  Scales now_, previous_;
  MarkFactors<Coordinate> factors_;  // that coordinates with each mark have missed

  LargeArray<Coordinate> coordinates_;  // hats
  int mark_ = 0;                        // of those that are up to date: rescalings of phi
};

}  // namespace bridle
