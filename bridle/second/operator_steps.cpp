#include <algorithm>
#include <cmath>

#include "bridle/second/face_space.hpp"
#include "bridle/second/region_projector.hpp"
#include "bridle/second/step.hpp"

namespace bridle::second {
namespace {

constexpr double most_products = 100;  // in a step
constexpr int most_raises = 12;
constexpr double least_share =
    1e-4;  // of the bounds of the curvatures: a part of the samples may lack a column

// The model of one step: q(d) = g'd + d'(B + shift M)d/2.
struct ProductModel {
  Landscape& landscape;
  const Vector& metric;
  Work& work;
  double shift = 0, used = 0;

  double times(const Vector& d, Vector& image) {  // the curvature along d
    landscape.product(d, image);
    work.spent.hessian_products += landscape.share();
    used += 1;
    if (shift > 0) image += shift * metric.cwiseProduct(d);
    return d.dot(image);
  }
};

// Minimises the model over the region: a projected step finds the face, conjugate gradients solve on it, and
// again until the projected step is short.
class FaceByFace {
 public:
  FaceByFace(const Region& region, RegionProjector& projector, ProductModel& model, const Vector& x,
             const Vector& gradient, Vector& prices)
      : region_(region),
        projector_(projector),
        model_(model),
        x_(x),
        prices_(prices),
        d_(Vector::Zero(x.size())),
        slope_(gradient) {}

  enum class Ending { solved, negative, stopped };

  Ending run(double forcing) {
    double first = -1;
    while (model_.used < most_products) {
      if (model_.work.stopped()) return Ending::stopped;
      const auto target = projector_.project(x_ + d_ - slope_.cwiseQuotient(model_.metric), model_.metric,
                                             prices_, model_.work, &x_);
      if (!target.exact) break;
      prices_ = target.multipliers;
      const Vector move = target.x - x_ - d_;
      const double push = std::sqrt(move.dot(model_.metric.cwiseProduct(move)));
      if (first < 0) first = push;
      if (push <= std::max(forcing * first, rounding())) break;
      const double bent = model_.times(move, image_);
      // A projected step goes down by its square at least; the product itself may be lost in rounding.
      const double down = std::max(-slope_.dot(move), push * push);
      if (bent <= 0) {
        rayleigh_ = bent / (push * push);
        return Ending::negative;
      }
      add(std::min(1.0, down / bent), move, image_);
      Face face = region_.touched_by(x_ + d_);
      for (std::size_t i = 0; i < face.rows.size(); ++i)
        if (prices_[static_cast<Index>(i)] == 0 && !region_.equality(static_cast<Index>(i)))
          face.rows[i] = inside;
      const Ending ending = on_face(FaceSpace(region_, face, model_.metric), 0.5 * forcing * first);
      if (ending != Ending::solved) return ending;
    }
    return Ending::solved;
  }

  const Vector& d() const { return d_; }
  const Vector& slope() const { return slope_; }
  double rayleigh() const { return rayleigh_; }  // d'Bd / d'Md < 0 of the direction that was met

 private:
  // Shorter pushes are no more than what the projection rounds.
  double rounding() const {
    const Vector sizes = x_.cwiseAbs() + slope_.cwiseAbs().cwiseQuotient(model_.metric);
    return 2e-15 * std::sqrt(sizes.dot(model_.metric.cwiseProduct(sizes)));
  }
  void add(double length, const Vector& move, const Vector& image) {
    d_ += length * move;
    slope_ += length * image;
  }

  // Conjugate gradients until the residual is a tenth, or as short as `goal`; then the end, its projection,
  // or the last feasible point on the way, whichever the model likes best.
  Ending on_face(const FaceSpace& space, double goal) {
    const Vector point = x_ + d_;
    Vector e = Vector::Zero(x_.size()), image_e = e, residual = space.along(slope_), z = space.step(residual);
    Vector direction = -z;
    double size = residual.dot(z);
    const double stop = std::max(0.01 * size, goal * goal);
    while (model_.used < most_products && size > stop) {
      if (model_.work.stopped()) return Ending::stopped;
      const double bent = model_.times(direction, image_);
      if (!(bent > 0)) {
        rayleigh_ = bent / direction.dot(model_.metric.cwiseProduct(direction));
        return Ending::negative;
      }
      const double length = size / bent;
      e += length * direction;
      image_e += length * image_;
      residual = space.along(residual + length * image_);
      z = space.step(residual);
      const double next = residual.dot(z);
      direction = -z + next / size * direction;
      size = next;
      if (far_out(point + e)) break;
    }
    const double reach = feasible_share(point, e);
    if (reach >= 1) {
      add(1, e, image_e);
      return Ending::solved;
    }
    const auto back = projector_.project(point + e, model_.metric, prices_, model_.work, &x_);
    const double along = reach * slope_.dot(e) + 0.5 * reach * reach * e.dot(image_e);
    if (back.exact) {
      const Vector f = back.x - point;
      const double bent = model_.times(f, image_);
      if (slope_.dot(f) + 0.5 * bent < along) {
        prices_ = back.multipliers;
        add(1, f, image_);
        return Ending::solved;
      }
    }
    add(reach, e, image_e);
    return Ending::solved;
  }

  // Too many variables beyond their bounds for more products to be worth it.
  bool far_out(const Vector& point) const {
    Index out = 0;
    for (Index j = 0; j < point.size(); ++j)
      if (point[j] < region_.lower[j] || point[j] > region_.upper[j]) ++out;
    return static_cast<double>(out) > 0.02 * static_cast<double>(point.size()) + 3;
  }

  double feasible_share(const Vector& point, const Vector& e) const {
    double share = 1;
    const auto limit = [&](double from, double to, double lower, double upper, double slack) {
      if (to < lower - slack) share = std::min(share, (lower - from) / (to - from));
      if (to > upper + slack) share = std::min(share, (upper - from) / (to - from));
    };
    for (Index j = 0; j < e.size(); ++j)
      limit(point[j], point[j] + e[j], region_.lower[j], region_.upper[j], 0);
    const Vector from = region_.rows * point, to = from + region_.rows * e;
    const Vector sizes = region_.rows.cwiseAbs() * (point.cwiseAbs() + e.cwiseAbs());
    for (Index i = 0; i < from.size(); ++i)
      limit(from[i], to[i], region_.row_lower[i], region_.row_upper[i], 1e-13 * sizes[i]);
    return std::max(0.0, share);
  }

  const Region& region_;
  RegionProjector& projector_;
  ProductModel& model_;
  const Vector& x_;
  Vector& prices_;
  Vector d_, slope_, image_;
  double rayleigh_ = 0;
};

class OperatorSteps final : public StepFinder {
 public:
  OperatorSteps(const Region& region, Landscape& landscape, const Vector& weight)
      : region_(region),
        landscape_(landscape),
        least_metric_(least_share * weight.cwiseInverse()),
        projector_(region),
        prices_(Vector::Zero(region.count())),
        share_(landscape.first_share()) {}

  bool find(const Vector& x, double error, Work& work, Step& step) override {
    landscape_.prepare_products(share_, turn_++);
    Vector metric = landscape_.diagonal();
    work.spent.full_gradients += 0.5 * landscape_.share();
    metric = metric.cwiseMax(least_metric_);  // in every variable's own units
    if (!metric.allFinite()) return false;
    const double forcing = std::clamp(0.5 * std::sqrt(error), 1e-4, 0.1);
    ProductModel model{landscape_, metric, work};
    model.shift = last_shift_ > 1e-8 ? 0.1 * last_shift_ : 0;
    for (int raise = 0; raise < most_raises; ++raise) {
      FaceByFace faces(region_, projector_, model, x, landscape_.gradient(), prices_);
      const auto ending = faces.run(forcing);
      if (ending == FaceByFace::Ending::stopped) return false;
      if (ending == FaceByFace::Ending::negative) {
        model.shift = std::max(4 * model.shift, -2 * faces.rayleigh());
        if (model.shift == 0) model.shift = 1e-10;
        model.used = 0;
        continue;
      }
      last_shift_ = model.shift;
      step.d = faces.d();
      Face face = region_.touched_by(x + step.d);
      for (std::size_t i = 0; i < face.rows.size(); ++i)
        if (prices_[static_cast<Index>(i)] == 0 && !region_.equality(static_cast<Index>(i)))
          face.rows[i] = inside;
      step.multipliers = FaceSpace(region_, face, metric).multipliers(faces.slope());
      step.shift = model.shift;
      return true;
    }
    return false;
  }

  // A part of the samples no longer tells the truth when the error stops falling.
  bool report(double length, double error, double error_before) override {
    if (share_ >= 1) return length > 0;
    if (length == 0 || error > 0.3 * error_before) share_ = std::min(1.0, 3 * share_);
    return true;
  }

 private:
  const Region& region_;
  Landscape& landscape_;
  Vector least_metric_;
  RegionProjector projector_;
  Vector prices_;
  double share_, last_shift_ = 0;
  Index turn_ = 0;
};

}  // namespace

std::unique_ptr<StepFinder> operator_steps(const Region& region, Landscape& landscape, const Vector& weight) {
  return std::make_unique<OperatorSteps>(region, landscape, weight);
}

}  // namespace bridle::second
