// Quadratic programs by guessing their face.
#include <algorithm>
#include <cmath>

#include "bridle/second/cholesky.hpp"
#include "bridle/second/dense_qp.hpp"

namespace bridle::second {
namespace {

constexpr double row_weight = 100;      // of the held rows' squares, over the largest curvature
constexpr double least_length = 1e-20;  // squared, of a row on the face, next to 1: else it is rounding
constexpr int most_multiplier_steps = 60;

// One face: free variables, held rows over them.
class HeldFace {
 public:
  HeldFace(const DenseQp& qp, const Face& face, Work& work) : qp_(qp), work_(work) {
    const Index n = qp.gradient.size();
    place_.assign(static_cast<std::size_t>(n), -1);
    held_ = Vector::Zero(n);
    for (Index j = 0; j < n; ++j) {
      const Side side = face.variables[static_cast<std::size_t>(j)];
      if (side == inside) {
        place_[static_cast<std::size_t>(j)] = static_cast<Index>(free_.size());
        free_.push_back(j);
      } else {
        held_[j] = side == at_lower ? qp.lower[j] : qp.upper[j];
      }
    }
    for (Index i = 0; i < qp.rows.rows(); ++i)
      if (const Side side = face.rows[static_cast<std::size_t>(i)]; side != inside) {
        rows_.push_back(i);
        gaps_.push_back(side == at_lower ? qp.row_lower[i] : qp.row_upper[i]);
      }
  }

  bool too_many_rows() const { return rows_.size() > 2 * free_.size() + 10; }

  // Cholesky factor of B + w A'A on the free variables: it has one exactly when B is positive definite on the
  // face, up to the weight.
  bool factorise() {
    Matrix system = qp_.hessian(free_, free_);
    const double largest = std::max(1e-300, system.size() ? system.diagonal().cwiseAbs().maxCoeff() : 1.0);
    weights_.clear();
    for (const Index i : rows_) {
      double length = 0;  // of what the row has on the face: it may be little of the row
      for (SparseRows::InnerIterator a(qp_.rows, i); a; ++a)
        if (place_[static_cast<std::size_t>(a.col())] >= 0) length += a.value() * a.value();
      const double weight = row_weight * largest / (length > least_length ? length : 1);
      weights_.push_back(weight);
      for (SparseRows::InnerIterator a(qp_.rows, i); a; ++a) {
        const Index column = place_[static_cast<std::size_t>(a.col())];
        if (column < 0) continue;
        for (SparseRows::InnerIterator b(qp_.rows, i); b; ++b)
          if (const Index row = place_[static_cast<std::size_t>(b.col())]; row >= 0)
            system(row, column) += weight * a.value() * b.value();
      }
    }
    work_.spent.factorisations += 1;
    return factor_.factorise(system);
  }

  // The minimiser on the face, by the method of multipliers: with a weight well above the curvatures each
  // step gains two digits, rows that depend on one another do no harm, and no second system is needed. False
  // when the held rows have no common point.
  bool solve(QpPoint& point) const {
    const Vector slope = qp_.gradient + qp_.hessian * held_;
    const Vector pull = -slope(free_);
    Vector own(free_.size());
    double before = infinity;
    double size = qp_.unit * 1e-15;
    for (const double gap : gaps_) size = std::max(size, 1e-14 * std::abs(gap));
    for (int k = 0; k < most_multiplier_steps; ++k) {
      own = pull;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const Index i = rows_[r];
        double gap = gaps_[r];
        for (SparseRows::InnerIterator a(qp_.rows, i); a; ++a)
          if (place_[static_cast<std::size_t>(a.col())] < 0) gap -= a.value() * held_[a.col()];
        add_row(i, weights_[r] * gap - point.multipliers[i], own);
      }
      factor_.solve(own);
      point.d = held_;
      for (std::size_t k_free = 0; k_free < free_.size(); ++k_free)
        point.d[free_[k_free]] = own[static_cast<Index>(k_free)];
      double worst = 0;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        double off = -gaps_[r];
        for (SparseRows::InnerIterator a(qp_.rows, rows_[r]); a; ++a) off += a.value() * point.d[a.col()];
        point.multipliers[rows_[r]] += weights_[r] * off;
        worst = std::max(worst, std::abs(off));
      }
      if (!point.d.allFinite()) return false;
      if (worst <= size || (worst > 0.5 * before && worst <= 1e3 * size)) return true;
      before = worst;
    }
    return before <= 1e-9 * std::max(qp_.unit, point.d.lpNorm<Eigen::Infinity>());
  }

 private:
  void add_row(Index i, double factor, Vector& own) const {
    for (SparseRows::InnerIterator a(qp_.rows, i); a; ++a)
      if (const Index k = place_[static_cast<std::size_t>(a.col())]; k >= 0) own[k] += factor * a.value();
  }

  const DenseQp& qp_;
  Work& work_;
  std::vector<Index> free_, rows_, place_;
  std::vector<double> gaps_, weights_;
  Vector held_;
  Cholesky factor_;
};

// What is wrong with the face at its minimiser is put right; returns how much was.
int correct_face(const DenseQp& qp, const QpPoint& point, Face& face) {
  const Vector slope = qp.gradient + qp.hessian * point.d + qp.rows.transpose() * point.multipliers;
  const Vector activity = qp.rows * point.d;
  const double room = 1e-10 * point.d.lpNorm<Eigen::Infinity>() + 1e-14 * qp.unit;
  const double price = 1e-12 * std::max(qp.price, qp.gradient.lpNorm<Eigen::Infinity>());
  int changes = 0;
  const auto correct = [&](Side& side, double value, double lower, double upper, double push) {
    const Side before = side;
    if (side == inside)
      side = value < lower - room ? at_lower : value > upper + room ? at_upper : inside;
    else if (lower < upper && push < -price)
      side = inside;
    changes += side != before;
  };
  for (Index j = 0; j < point.d.size(); ++j) {
    Side& side = face.variables[static_cast<std::size_t>(j)];
    correct(side, point.d[j], qp.lower[j], qp.upper[j], side == at_lower ? slope[j] : -slope[j]);
  }
  for (Index i = 0; i < activity.size(); ++i) {
    Side& side = face.rows[static_cast<std::size_t>(i)];
    const double y = point.multipliers[i];
    correct(side, activity[i], qp.row_lower[i], qp.row_upper[i], side == at_lower ? -y : y);
  }
  return changes;
}

}  // namespace

QpEnd solve_on_faces(const DenseQp& qp, int most_rounds, Face& face, QpPoint& point, Work& work) {
  if (point.multipliers.size() != qp.rows.rows()) point.multipliers = Vector::Zero(qp.rows.rows());
  for (Index i = 0; i < qp.rows.rows(); ++i)
    if (qp.row_lower[i] == qp.row_upper[i]) face.rows[static_cast<std::size_t>(i)] = at_upper;
  for (int round = 0; round < most_rounds; ++round) {
    if (work.stopped()) return QpEnd::stopped;
    HeldFace held(qp, face, work);
    if (held.too_many_rows()) return QpEnd::no_face;
    if (!held.factorise()) return QpEnd::not_convex;
    for (Index i = 0; i < qp.rows.rows(); ++i)
      if (face.rows[static_cast<std::size_t>(i)] == inside) point.multipliers[i] = 0;
    if (!held.solve(point)) return QpEnd::no_face;
    if (correct_face(qp, point, face) == 0) return QpEnd::solved;
  }
  return QpEnd::no_face;
}

}  // namespace bridle::second
