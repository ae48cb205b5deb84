#include <algorithm>
#include <cmath>

#include "bridle/second/dense_qp.hpp"
#include "bridle/second/step.hpp"

namespace bridle::second {
namespace {

constexpr int most_rounds = 12, rounds_after_inside = 6, most_shifts = 40;
constexpr double flat = 1e-3;
constexpr double short_length = 1e-3;
constexpr double near_enough = 3e-3;  // errors below which a part of the samples would cost steps

class DenseSteps final : public StepFinder {
 public:
  DenseSteps(const Region& region, Landscape& landscape, const Vector& weight)
      : region_(region),
        landscape_(landscape),
        unit_(weight.cwiseSqrt()),
        share_(landscape.first_dense_share()) {
    rows_ = region.rows * unit_.asDiagonal();
    row_unit_ = Vector::Ones(region.count());
    for (Index i = 0; i < region.count(); ++i) {
      const double length = std::sqrt(rows_.row(i).squaredNorm());
      if (length > 0) row_unit_[i] = 1 / length;
    }
    rows_ = row_unit_.asDiagonal() * rows_;
  }

  bool find(const Vector& x, double error, Work& work, Step& step) override {
    if (error <= near_enough) share_ = 1;
    DenseQp qp = program(x, work);
    const Vector curvature = qp.hessian.diagonal();
    if (!qp.hessian.allFinite() || !qp.gradient.allFinite()) return false;
    // Bounds of the curvatures are 1 in these units. A model without any is no model.
    const double largest = curvature.cwiseAbs().maxCoeff();
    const double size = std::max(largest, landscape_.convex() ? flat : 1.0);
    if (face_.variables.empty()) face_ = region_.touched_by(x);
    double shift = std::max(largest < flat ? flat : 0.0, least_shift_);
    if (shift > 0) qp.hessian.diagonal() = curvature.array() + shift;
    for (int attempt = 0; attempt < most_shifts; ++attempt) {
      Face face = face_;
      QpPoint point{Vector(), multipliers_};
      const QpEnd end = solve(qp, face, point, work);
      if (end == QpEnd::stopped) return false;
      if (end == QpEnd::solved) {
        const double slope = qp.gradient.dot(point.d);
        const double model = slope + 0.5 * point.d.dot(qp.hessian * point.d);
        // The signs of a step as short as rounding say nothing, and the line search sees it.
        const double lost = 1e-14 * qp.price * qp.unit;
        const bool short_step = shift == 0 && (point.d.lpNorm<Eigen::Infinity>() <= 1e-8 * qp.unit ||
                                               (std::abs(slope) <= lost && std::abs(model) <= lost));
        if ((slope <= 0 && model <= 0) || short_step) {
          face_ = std::move(face);
          multipliers_ = point.multipliers;
          if (shift > 0) last_shift_ = shift;
          step = {point.d.cwiseProduct(unit_), multipliers_.cwiseProduct(row_unit_), shift / size};
          return true;
        }
      }
      shift = next_shift(shift, size);
      qp.hessian.diagonal() = curvature.array() + shift;
    }
    return false;
  }

  // A part of the samples no longer tells the truth when the error stops falling.
  bool report(double length, double error, double error_before) override {
    const bool part = share_ < 1;
    if (length == 0 || error > 0.7 * error_before) share_ = 1;
    if (length == 0 && part) return true;
    // The model is good for little of its step: with more curvature its step is shorter, and with as much as
    // the bounds say f falls along it.
    if (length > 0.5) least_shift_ = least_shift_ > 1e-8 ? 0.1 * least_shift_ : 0;
    if (length >= short_length || least_shift_ >= 1) return false;
    least_shift_ = std::max(1e-8, 100 * least_shift_);
    return length == 0;
  }

 private:
  DenseQp program(const Vector& x, Work& work) {
    Matrix hessian;
    landscape_.hessian(hessian, share_, turn_++);
    work.spent.hessians += share_;
    hessian = unit_.asDiagonal() * hessian * unit_.asDiagonal();
    const Vector activity = region_.rows * x;
    const Vector scaled = x.cwiseQuotient(unit_);
    DenseQp qp{std::move(hessian),
               landscape_.gradient().cwiseProduct(unit_),
               (region_.lower - x).cwiseQuotient(unit_).cwiseMin(0.0),
               (region_.upper - x).cwiseQuotient(unit_).cwiseMax(0.0),
               rows_,
               (region_.row_lower - activity).cwiseProduct(row_unit_),
               (region_.row_upper - activity).cwiseProduct(row_unit_)};
    const double price = qp.gradient.lpNorm<Eigen::Infinity>();
    price_ = std::max(price_, price);
    qp.price = price_;
    qp.unit = std::max({scaled.lpNorm<Eigen::Infinity>(), price, 1e-300});
    return qp;
  }

  QpEnd solve(const DenseQp& qp, Face& face, QpPoint& point, Work& work) const {
    const QpEnd end = solve_on_faces(qp, most_rounds, face, point, work);
    if (end != QpEnd::no_face) return end;
    Face guess = face_;
    QpPoint inner;
    const QpEnd inner_end = solve_inside(qp, guess, inner, work);
    if (inner_end != QpEnd::solved) return inner_end;
    Face refined = guess;
    QpPoint refined_point = inner;
    const QpEnd refined_end = solve_on_faces(qp, rounds_after_inside, refined, refined_point, work);
    if (refined_end == QpEnd::stopped) return refined_end;
    face = refined_end == QpEnd::solved ? refined : guess;
    point = refined_end == QpEnd::solved ? refined_point : inner;
    return QpEnd::solved;
  }

  // Nonconvex models begin with a shift that matters; later ones with a tenth of the last.
  double next_shift(double shift, double size) const {
    if (shift > 0) return (last_shift_ > 0 ? 4 : 16) * shift;
    if (last_shift_ > 0) return std::max(1e-10 * size, 0.1 * last_shift_);
    return (landscape_.convex() ? 1e-10 : 1e-4) * size;
  }

  const Region& region_;
  Landscape& landscape_;
  Vector unit_;  // x = unit d
  SparseRows rows_;
  Vector row_unit_;
  Face face_;
  Vector multipliers_;
  double last_shift_ = 0, least_shift_ = 0, price_ = 0;
  double share_;  // of the samples that Hessians are made of
  Index turn_ = 0;
};

}  // namespace

std::unique_ptr<StepFinder> dense_steps(const Region& region, Landscape& landscape, const Vector& weight) {
  return std::make_unique<DenseSteps>(region, landscape, weight);
}

}  // namespace bridle::second
