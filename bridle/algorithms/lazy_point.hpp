// x and z of a linear model's variables for methods that carry a direction d along (STORM's estimate, or
// A'y): a step costs the coordinates that a sparse row touches, however many variables there are.
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
// are lost, the point must be written out and read in again. Stored are uhat = u' / phi_u, vhat and dhat with
// scalars phi; a row that moves x or d changes them on its support only. Small phi are multiplied by 2^400;
// coordinates know how often that had happened when they were last touched, and catch up.
#pragma once

#include <vector>

#include "bridle/algorithms/modes.hpp"
#include "bridle/core/large_array.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

class LazyPoint {
 public:
  // `decay`: alpha / tau, the same in all steps.
  LazyPoint(Index variables, const Modes& modes, double decay);

  // Whether s exists and is not so large that the sums cancel.
  static bool possible(const Modes& modes, double decay);

  void read_in(ConstVectorRef x, ConstVectorRef z, ConstVectorRef d);
  void write_out(VectorRef x, VectorRef z, VectorRef d) const;

  // Of a sparse row with uhat, vhat, dhat
  struct Products {
    double u = 0, v = 0, d = 0;
  };
  // A row is given by its number of entries and functions from an entry to its column and value.
  template <class Column, class Value>
  Products products(Index count, Column&& column, Value&& value) {
    Products out;
    for (Index e = 0; e < count; ++e) {
      const Coordinate& at = up_to_date(column(e));
      const double a = value(e);
      out.u += a * at.u;
      out.v += a * at.v;
      out.d += a * at.d;
    }
    return out;
  }
  // a'x, now and before the last `advance`, from the products of a.
  double with_x(const Products& p) const { return weigh(now_, p); }
  double with_previous_x(const Products& p) const { return weigh(previous_, p); }

  // Time to write out and to read in: s_u costs four digits and more.
  bool share_is_large() const { return share_grows_ && now_.u_share * modes_.v_rate > 1e4; }

  // One step of x, z and d without a row.
  void advance(double tau);
  // x += factor a; z and d stay
  template <class Column, class Value>
  void push(double factor, Index count, Column&& column, Value&& value) {
    const double u = factor / now_.u_scale, v = factor / now_.v_scale;
    for (Index e = 0; e < count; ++e) {
      Coordinate& at = up_to_date(column(e));
      const double a = value(e);
      at.u += u * a;
      at.v += v * a;
    }
  }
  // d += factor a; x and z stay
  template <class Column, class Value>
  void carry(double factor, Index count, Column&& column, Value&& value) {
    const double u = factor * now_.u_share / now_.u_scale, v = factor * now_.v_share / now_.v_scale,
                 d = factor / now_.d_scale;
    for (Index e = 0; e < count; ++e) {
      Coordinate& at = up_to_date(column(e));
      const double a = value(e);
      at.u += u * a;
      at.v += v * a;
      at.d += d * a;
    }
  }

 private:
  struct Coordinate {
    double u = 0, v = 0, d = 0;  // hats
    std::int64_t rescalings = 0;
  };
  struct Scalars {
    double u_scale = 1, v_scale = 1, d_scale = 1;  // phi
    double u_share = 0, v_share = 0;               // s
  };
  static constexpr double smallest_scale = 0x1p-400;

  double weigh(const Scalars& s, const Products& p) const {
    return modes_.x_of_u * (s.u_scale * p.u - s.u_share * s.d_scale * p.d) +
           modes_.x_of_v * (s.v_scale * p.v - s.v_share * s.d_scale * p.d);
  }
  Coordinate& up_to_date(Index j) {
    Coordinate& at = coordinates_[static_cast<std::size_t>(j)];
    if (at.rescalings != static_cast<std::int64_t>(missed_.size()) - 1) catch_up(at);
    return at;
  }
  void catch_up(Coordinate& at) const;
  void rescale();

  Modes modes_;
  double decay_;
  bool share_grows_;  // s_u is the sum of the steps
  LargeArray<Coordinate> coordinates_;
  Scalars now_, previous_;
  std::vector<Coordinate> missed_;  // factors for coordinates with 0, 1, ... rescalings
};

}  // namespace bridle
