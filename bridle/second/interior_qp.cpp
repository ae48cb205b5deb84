// Quadratic programs from the inside of their bounds.
#include <algorithm>
#include <cmath>

#include "bridle/second/cholesky.hpp"
#include "bridle/second/dense_qp.hpp"

namespace bridle::second {
namespace {

// One inequality c >= bound or c <= bound, with its room s > 0 and its price z > 0 per entry; entries without
// a bound have price 0.
struct Wall {
  double sign;  // 1: c - bound >= 0, -1: bound - c >= 0
  Vector bound, room, price, room_step, price_step;

  bool there(Index i) const { return is_finite(bound[i]); }
  double off(Index i, double c) const { return sign * (c - bound[i]) - room[i]; }

  void start(const Vector& c, const Vector& width, double price0) {
    room = price = room_step = price_step = Vector::Zero(bound.size());
    for (Index i = 0; i < bound.size(); ++i) {
      if (!there(i)) continue;
      room[i] = std::max(sign * (c[i] - bound[i]), 0.1 * width[i]);
      price[i] = price0 / room[i];
    }
  }
  // h of the reduced system: what the price step is where c does not move.
  double push(Index i, double c, double target) const {
    return (target - price[i] * room[i] - price[i] * off(i, c)) / room[i];
  }
  void find_steps(const Vector& c, const Vector& change, const Vector& target) {
    for (Index i = 0; i < bound.size(); ++i) {
      if (!there(i)) continue;
      room_step[i] = sign * change[i] + off(i, c[i]);
      price_step[i] = (target[i] - price[i] * room[i] - price[i] * room_step[i]) / room[i];
    }
  }
  double longest(double length) const {
    for (Index i = 0; i < bound.size(); ++i) {
      if (!there(i)) continue;
      if (room_step[i] < 0) length = std::min(length, -room[i] / room_step[i]);
      if (price_step[i] < 0) length = std::min(length, -price[i] / price_step[i]);
    }
    return length;
  }
  double gap(double length) const {
    double sum = 0;
    for (Index i = 0; i < bound.size(); ++i)
      if (there(i)) sum += (room[i] + length * room_step[i]) * (price[i] + length * price_step[i]);
    return sum;
  }
  Vector second_order(double centre) const {
    Vector out = Vector::Zero(bound.size());
    for (Index i = 0; i < bound.size(); ++i)
      if (there(i)) out[i] = centre - room_step[i] * price_step[i];
    return out;
  }
  void move(double length) {
    room += length * room_step;
    price += length * price_step;
  }
};

class InteriorProgram {
 public:
  InteriorProgram(const DenseQp& qp, Work& work) : qp_(qp), work_(work), n_(qp.gradient.size()) {
    const Index m = qp.rows.rows(), all = n_ + m;
    lower_.sign = 1;
    upper_.sign = -1;
    lower_.bound.resize(all);
    upper_.bound.resize(all);
    lower_.bound << qp.lower, qp.row_lower;
    upper_.bound << qp.upper, qp.row_upper;
    equal_.assign(static_cast<std::size_t>(all), false);
    right_ = free_price_ = Vector::Zero(all);
    Vector width(all);
    for (Index i = 0; i < all; ++i) {
      width[i] = std::min(qp.unit, 0.5 * (upper_.bound[i] - lower_.bound[i]));
      if (lower_.bound[i] == upper_.bound[i]) {
        equal_[static_cast<std::size_t>(i)] = true;
        right_[i] = lower_.bound[i];
        lower_.bound[i] = -infinity;
        upper_.bound[i] = infinity;
      }
    }
    d_ = Vector::Zero(n_);
    const double first = 1e-2 * std::max(1e-12, qp.gradient.lpNorm<Eigen::Infinity>()) * qp.unit;
    lower_.start(Vector::Zero(all), width, first);
    upper_.start(Vector::Zero(all), width, first);
    for (Index i = 0; i < all; ++i) walls_ += (lower_.there(i) ? 1 : 0) + (upper_.there(i) ? 1 : 0);
    slack_ = 1e-9 / std::max(1e-300, qp.hessian.diagonal().cwiseAbs().maxCoeff());
  }

  QpEnd run(Face& face, QpPoint& point) {
    constexpr int most_iterations = 60;
    for (int k = 0; k < most_iterations; ++k) {
      if (work_.stopped()) return QpEnd::stopped;
      measure();
      if (settled()) break;
      if (!factorise()) return k == 0 ? QpEnd::not_convex : QpEnd::no_face;
      if (!step()) break;
    }
    point.d = d_;
    point.multipliers = (upper_.price - lower_.price + free_price_).tail(qp_.rows.rows());
    if (!d_.allFinite() || !point.multipliers.allFinite()) return QpEnd::no_face;
    // A bound is touched when the way to it is shorter than the push against it.
    const auto side = [&](Index i) {
      if (equal_[static_cast<std::size_t>(i)]) return at_upper;
      if (lower_.there(i) && lower_.price[i] > lower_.room[i]) return at_lower;
      return upper_.there(i) && upper_.price[i] > upper_.room[i] ? at_upper : inside;
    };
    for (Index j = 0; j < n_; ++j) face.variables[static_cast<std::size_t>(j)] = side(j);
    for (Index i = 0; i < qp_.rows.rows(); ++i) face.rows[static_cast<std::size_t>(i)] = side(n_ + i);
    return QpEnd::solved;
  }

 private:
  Vector constrained(const Vector& d) const {
    Vector out(n_ + qp_.rows.rows());
    out << d, qp_.rows * d;
    return out;
  }
  Vector pulled_back(const Vector& c) const {
    return c.head(n_) + qp_.rows.transpose() * c.tail(qp_.rows.rows());
  }

  void measure() {
    c_ = constrained(d_);
    slope_ = qp_.gradient + qp_.hessian * d_ + pulled_back(upper_.price - lower_.price + free_price_);
    gap_ = walls_ > 0 ? (lower_.gap(0) + upper_.gap(0)) / walls_ : 0;
  }
  bool settled() const {
    double broken = 0;
    for (Index i = 0; i < c_.size(); ++i) {
      if (equal_[static_cast<std::size_t>(i)]) broken = std::max(broken, std::abs(c_[i] - right_[i]));
      if (lower_.there(i)) broken = std::max(broken, std::abs(lower_.off(i, c_[i])));
      if (upper_.there(i)) broken = std::max(broken, std::abs(upper_.off(i, c_[i])));
    }
    const double size = std::max(qp_.gradient.lpNorm<Eigen::Infinity>(), 1e-300);
    return broken <= 1e-11 * qp_.unit && slope_.lpNorm<Eigen::Infinity>() <= 1e-9 * size &&
           gap_ <= 1e-11 * size * std::max(1e-3 * qp_.unit, d_.lpNorm<Eigen::Infinity>());
  }

  bool factorise() {
    Matrix system = qp_.hessian;
    const auto curvature = [&](Index i) {
      double out = equal_[static_cast<std::size_t>(i)] ? 1 / slack_ : 0;
      if (lower_.there(i)) out += lower_.price[i] / lower_.room[i];
      if (upper_.there(i)) out += upper_.price[i] / upper_.room[i];
      return out;
    };
    for (Index j = 0; j < n_; ++j) system(j, j) += curvature(j);
    for (Index i = 0; i < qp_.rows.rows(); ++i) {
      const double weight = curvature(n_ + i);
      for (SparseRows::InnerIterator a(qp_.rows, i); a; ++a)
        for (SparseRows::InnerIterator b = a; b; ++b)
          system(b.col(), a.col()) += weight * a.value() * b.value();
    }
    work_.spent.factorisations += 1;
    return factor_.factorise(system, 1e-16);
  }

  void newton(const Vector& lower_target, const Vector& upper_target) {
    Vector push = Vector::Zero(c_.size());
    for (Index i = 0; i < c_.size(); ++i) {
      if (equal_[static_cast<std::size_t>(i)]) push[i] = -(c_[i] - right_[i]) / slack_;
      if (lower_.there(i)) push[i] += lower_.push(i, c_[i], lower_target[i]);
      if (upper_.there(i)) push[i] -= upper_.push(i, c_[i], upper_target[i]);
    }
    step_ = pulled_back(push) - slope_;
    factor_.solve(step_);
    change_ = constrained(step_);
    lower_.find_steps(c_, change_, lower_target);
    upper_.find_steps(c_, change_, upper_target);
  }

  bool step() {
    const Vector none = Vector::Zero(c_.size());
    newton(none, none);
    double length = upper_.longest(lower_.longest(1));
    if (walls_ > 0) {
      const double after = (lower_.gap(length) + upper_.gap(length)) / walls_;
      const double centre = std::pow(std::max(0.0, after / gap_), 3) * gap_;
      const Vector lower_target = lower_.second_order(centre), upper_target = upper_.second_order(centre);
      newton(lower_target, upper_target);
      length = std::min(1.0, 0.995 * upper_.longest(lower_.longest(1)));
    }
    if (!step_.allFinite() || length < 1e-10) return false;
    d_ += length * step_;
    lower_.move(length);
    upper_.move(length);
    for (Index i = 0; i < c_.size(); ++i)
      if (equal_[static_cast<std::size_t>(i)])
        free_price_[i] += length * (change_[i] + c_[i] - right_[i]) / slack_;
    return true;
  }

  const DenseQp& qp_;
  Work& work_;
  Index n_;
  Wall lower_, upper_;
  std::vector<bool> equal_;
  Vector right_, free_price_;  // of equalities
  Vector d_, c_, slope_, step_, change_;
  double walls_ = 0, gap_ = 0, slack_ = 0;
  Cholesky factor_;
};

}  // namespace

QpEnd solve_inside(const DenseQp& qp, Face& face, QpPoint& point, Work& work) {
  work.spent.interior_points += 1;
  return InteriorProgram(qp, work).run(face, point);
}

}  // namespace bridle::second
