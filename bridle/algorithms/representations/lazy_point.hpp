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
//
// Variables of different ridges have different rates: they are in classes with scalars of their own
// (ModeClasses). What a step and a product need of them is kept in small tables, an entry per class.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

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
  LazyPoint(Index variables, const ModeClasses& classes, double decay = 0)
      : classes_(classes), decay_(decay), coordinates_(static_cast<std::size_t>(variables)) {
    start_scales();
  }

  // Takes the variables in: values_of(j) are those of variable j.
  template <class ValuesOf>
  void read_in(ValuesOf&& values_of) {
    start_scales();
    for (Index j = 0; j < variables(); ++j) coordinate(j) = stored(classes_.of(j), values_of(j));
  }
  // visit(j, values) for all variables; what it does to the values is lost.
  template <class Visit>
  void write_out(Visit&& visit) const {
    for (Index j = 0; j < variables(); ++j) {
      Values values = values_of(scales_, classes_.of(j), up_to_date(j));
      visit(j, values);
    }
  }
  // Writes the variables out and takes them in again, in one pass: what visit(j, values) does to the values
  // counts.
  template <class Visit>
  void renew(Visit&& visit) {
    const Scales old = scales_;
    const std::vector<Coordinate> missed = factors_;
    start_scales();
    for (Index j = 0; j < variables(); ++j) {
      const Index k = classes_.of(j);
      Values values = values_of(old, k, coordinate(j) * missed[place_of(mark_of(coordinate(j)), k)]);
      visit(j, values);
      coordinate(j) = stored(k, values);
    }
  }
  // Time to renew: s_u costs four digits and more.
  bool share_is_large() const {
    if (!share_grows()) return false;
    for (std::size_t k = 0; k < classes_.modes.size(); ++k)
      if (scales_.u_share[k] * classes_.modes[k].v_rate > 1e4) return true;
    return false;
  }

  // Brings the coordinates of a row up to date.
  template <class Row>
  void catch_up(const Row& row) {
    for (Index e = 0; e < row.count; ++e) {
      const Index j = row.column(e), of_class = class_of(row, e);
      coordinate(j) = marked(up_to_date(j, of_class), mark_, of_class);
    }
  }
  // a'x of a sparse row a, whose coordinates are up to date then.
  template <class Row>
  [[gnu::always_inline]] double product(const Row& row) {
    double out = 0;
    if (!try_product(row, out)) {
      catch_up(row);
      try_product(row, out);
    }
    return out;
  }
  // a'x, now and before the last `advance`.
  template <class Row>
  [[gnu::always_inline]] std::pair<double, double> products(const Row& row) requires carries {
    std::pair<double, double> out;
    if (!try_products(row, out)) {
      catch_up(row);
      try_products(row, out);
    }
    return out;
  }

  // A step of x, z and d without a row. After it, and before `keep_in_range`, rows may be subtracted.
  [[gnu::always_inline]] void advance(double tau) {
    tau_ = tau;
    if constexpr (!carries) {
      if (one_class()) {
        scales_.phi[0] *= ones() - tau * rates_[0];
        make_tables(0);
      } else {
        advance_classes(classes_.count(), tau, rates_.data(), shares_of_x_.data(), scales_.phi.data(),
                        readings_.data(), steps_.data());
      }
    } else {
      std::swap(readings_, previous_readings_);
      for (std::size_t k = 0; k < classes_.modes.size(); ++k) {
        const Modes& modes = classes_.modes[k];
        scales_.phi[k] *= {{1 - tau * modes.u_rate, 1 - tau * modes.v_rate, 1 - tau * decay_, 1}};
        if (share_grows()) scales_.u_share[k] = (1 - tau * modes.u_rate) * scales_.u_share[k] + tau;
        make_tables(k);
      }
    }
  }
  // Moves x by -tau length a, of the last `advance`; everything else stays. For rows that are up to date:
  // that caught up, or whose products were taken, since the last `keep_in_range`.
  template <class Row>
  void step(const Row& row, double length) {
    if constexpr (carries)
      subtract(coordinates_.data(), row, length, steps_.data(), classes_.count());
    else if (one_class())
      subtract(coordinates_.data(), row, length * steps_[0], mark_);
    else
      subtract(coordinates_.data(), row, length, steps_.data(), mark_);
  }
  // Moves d by -length a; for such rows too.
  template <class Row>
  void step_direction(const Row& row, double length) requires carries {
    subtract(coordinates_.data(), row, length, direction_steps_.data(), classes_.count());
  }
  // To be called once in a step, after its rows. A step leaves a hundredth of phi of u and v at least
  // (modes.hpp): looking every so many steps keeps them within the range of numbers.
  [[gnu::always_inline]] void keep_in_range() {
    if (++steps_since_look_ < steps_between_looks) return;
    look_at_range();
  }

  // Without a direction: puts x_j back between two bounds; z_j stays.
  void clamp(Index j, double lower, double upper) requires(!carries) {
    const auto k = static_cast<std::size_t>(classes_.of(j));
    const Coordinate hat = up_to_date(j);
    const double x = readings_[k][0] * hat[0] + readings_[k][1] * hat[1];
    if (x < lower || x > upper)
      coordinate(j) = marked(hat + (std::clamp(x, lower, upper) - x) / scales_.phi[k], mark_, classes_.of(j));
  }

  // More variables than lie in near caches, where steps find them soon enough: asking would cost more.
  bool scattered() const {
    constexpr std::size_t near_caches = std::size_t{2} << 20;  // bytes
    return coordinates_.size() * sizeof(Coordinate) > near_caches;
  }
  // Asks the memory for the variables of a row that comes soon.
  [[gnu::always_inline]] void expect(const PackedRow& row) const {
    for (Index e = 0; e < row.count; ++e) prefetch_scattered(coordinates_.data() + row.column(e));
  }

 private:
  // phi is multiplied by 1 / smallest when it falls below it, and with it those of other classes that soon
  // will. Sixteen steps by a hundredth are 2^-106; a direction may decay more quickly.
  static constexpr double smallest = 0x1p-400, small_enough = 0x1p-200;
  static constexpr int steps_between_looks = carries ? 1 : 16;

  // Of each class
  struct Scales {
    std::vector<Coordinate> phi;
    std::vector<double> u_share, v_share;  // s, where a direction is carried
  };

  static Coordinate ones() {
    if constexpr (carries)
      return {{1, 1, 1, 1}};
    else
      return Coordinate{1, 1};
  }
  bool one_class() const { return classes_.modes.size() == 1; }
  Index variables() const { return static_cast<Index>(coordinates_.size()); }
  bool share_grows() const { return carries && decay_ == 0; }
  Coordinate& coordinate(Index j) { return coordinates_[static_cast<std::size_t>(j)]; }
  std::size_t place_of(int mark, Index of_class) const {
    return static_cast<std::size_t>(mark) * classes_.modes.size() + static_cast<std::size_t>(of_class);
  }
  Coordinate up_to_date(Index j) const { return up_to_date(j, classes_.of(j)); }
  Coordinate up_to_date(Index j, Index of_class) const {
    const Coordinate& hat = coordinates_[static_cast<std::size_t>(j)];
    return hat * factors_[place_of(mark_of(hat), of_class)];
  }
  // Where the row knows, the memory need not be asked.
  Index class_of(const PackedRow& row, Index e) const { return row.of_class(e); }
  Index class_of(const DrawnRow& row, Index e) const { return classes_.of(row.columns[e]); }

  void start_scales() {
    const std::size_t count = classes_.modes.size();
    for (auto* table :
         {&scales_.phi, &readings_, &previous_readings_, &steps_, &direction_steps_, &rates_, &shares_of_x_})
      table->assign(count, ones());
    scales_.u_share.assign(count, 0);
    scales_.v_share.assign(count, 0);
    for (std::size_t k = 0; k < count; ++k) {
      const Modes& modes = classes_.modes[k];
      if constexpr (carries) {
        scales_.u_share[k] = share_grows() ? 0 : 1 / (modes.u_rate - decay_);
        scales_.v_share[k] = 1 / (modes.v_rate - decay_);
      } else {
        rates_[k] = Coordinate{modes.u_rate, modes.v_rate};
        shares_of_x_[k] = Coordinate{modes.x_of_u, modes.x_of_v};
      }
      make_tables(k);
    }
    previous_readings_ = readings_;
    steps_since_look_ = 0;
    forget_marks();
  }
  void forget_marks() {
    mark_ = 0;
    factors_.assign(classes_.modes.size() * marks, ones());
  }
  void look_at_range() {
    steps_since_look_ = 0;
    for (const Coordinate& phi : scales_.phi) {
      bool small = phi[0] < smallest || phi[1] < smallest;
      if constexpr (carries) small = small || phi[2] < smallest;
      if (small) return rescale();
    }
  }

  [[gnu::always_inline]] void make_tables(std::size_t k) {
    const Coordinate phi = scales_.phi[k];
    if constexpr (carries) {
      const Modes& modes = classes_.modes[k];
      const double u_share = scales_.u_share[k], v_share = scales_.v_share[k];
      readings_[k] = {{modes.x_of_u * phi[0], modes.x_of_v * phi[1],
                       -(modes.x_of_u * u_share + modes.x_of_v * v_share) * phi[2], 0}};
      steps_[k] = {{tau_ / phi[0], tau_ / phi[1], 0, 0}};
      direction_steps_[k] = {{u_share / phi[0], v_share / phi[1], 1 / phi[2], 0}};
    } else {
      readings_[k] = shares_of_x_[k] * phi;
      steps_[k] = tau_ / phi;
    }
  }

  template <class Row>
  [[gnu::always_inline]] bool try_product(const Row& row, double& out) const {
    if constexpr (carries) {
      return sum_readings(coordinates_.data(), row, mark_, readings_.data(), classes_.count(), out);
    } else {
      if (!one_class()) return sum_readings(coordinates_.data(), row, mark_, readings_.data(), out);
      Coordinate sum;
      const bool marks_agree = sum_products(coordinates_.data(), row, mark_, sum);
      out = readings_[0][0] * sum[0] + readings_[0][1] * sum[1];
      return marks_agree;
    }
  }
  template <class Row>
  [[gnu::always_inline]] bool try_products(const Row& row, std::pair<double, double>& out) const {
    return sum_readings(coordinates_.data(), row, mark_, readings_.data(), previous_readings_.data(),
                        classes_.count(), out.first, out.second);
  }

  // For phi = 1.
  Coordinate stored(Index of_class, const Values& at) const {
    const auto k = static_cast<std::size_t>(of_class);
    const Modes& modes = classes_.modes[k];
    const double u = at.x + modes.u_of_z * at.z, v = at.x + modes.v_of_z * at.z;
    if constexpr (carries)
      return marked(Coordinate{{u + scales_.u_share[k] * at.d, v + scales_.v_share[k] * at.d, at.d, 0}}, 0,
                    of_class);
    else
      return marked(Coordinate{u, v}, 0, of_class);
  }

  Values values_of(const Scales& scales, Index of_class, const Coordinate& hat) const {
    const auto k = static_cast<std::size_t>(of_class);
    const Modes& modes = classes_.modes[k];
    const Coordinate& phi = scales.phi[k];
    double u = phi[0] * hat[0], v = phi[1] * hat[1], d = 0;
    if constexpr (carries) {
      d = phi[2] * hat[2];
      u -= scales.u_share[k] * d;
      v -= scales.v_share[k] * d;
    }
    return {modes.x_of_u * u + modes.x_of_v * v, modes.z_of_u() * u + modes.z_of_v() * v, d};
  }

  // When the marks are used up, all coordinates catch up and start anew. The previous readings are of the
  // same hats: they are multiplied too.
  void rescale() {
    if (mark_ + 1 == marks) {
      for (Index j = 0; j < variables(); ++j) coordinate(j) = marked(up_to_date(j), 0, classes_.of(j));
      forget_marks();
    }
    ++mark_;
    for (std::size_t k = 0; k < classes_.modes.size(); ++k) {
      Coordinate factor = ones();
      for (int c = 0; c < (carries ? 3 : 2); ++c)
        if (scales_.phi[k][c] < small_enough) {
          factor[c] = smallest;
          scales_.phi[k][c] /= smallest;
          if constexpr (carries) previous_readings_[k][c] /= smallest;
        }
      for (int mark = 0; mark < mark_; ++mark) factors_[place_of(mark, static_cast<Index>(k))] *= factor;
      make_tables(k);
    }
  }

  ModeClasses classes_;
  double decay_;
  double tau_ = 0;  // of the last step
  int steps_since_look_ = 0;
  Scales scales_;
  // Tables with an entry for each class. x is reading'hat; a step of x by -tau moves the hats by -step, one
  // of d by -1 by -direction_step.
  std::vector<Coordinate> readings_, previous_readings_, steps_, direction_steps_;
  std::vector<Coordinate> rates_, shares_of_x_;  // lambda, and x of u and v; without a direction
  std::vector<Coordinate> factors_;  // that coordinates with each mark have missed, class by class

  LargeArray<Coordinate> coordinates_;  // hats
  int mark_ = 0;                        // of those that are up to date: rescalings of phi
};

}  // namespace bridle
