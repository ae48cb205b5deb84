#include "bridle/second/landscape.hpp"

#include <cmath>
#include <optional>

#include "bridle/problem/objectives/linear_sums.hpp"

namespace bridle::second {
namespace {

constexpr Index outputs_last = 8;  // steps after which sums of outputs are computed anew

class LinearLandscape final : public Landscape {
 public:
  explicit LinearLandscape(const LinearModel& model) : model_(model), sums_(model) {
    convex_ = model.convex();
    gradient_ = Vector::Zero(model.dimension());
  }

  bool offers_hessian() const override { return true; }

  void go_to(const Vector& x) override {
    sums_.outputs(x, outputs_);
    steps_ = 0;
    value_ = sums_.mean_loss(outputs_) + ridge_value(x);
    derive(x);
  }

  double look_along(const Vector& d) override {
    direction_ = d;
    sums_.outputs(d, change_);
    return std::sqrt(sums_.mean_product(change_, change_));
  }
  double value_at(double length, const Vector& point) override {
    return sums_.mean_loss(outputs_, change_, length) + ridge_value(point);
  }
  double slope_at(double length, const Vector& point) override {
    Vector slopes, bends;
    sums_.derivatives(outputs_ + length * change_, slopes, bends);
    double slope = sums_.mean_product(slopes, change_);
    if (model_.ridge().size()) slope += model_.ridge().cwiseProduct(point).dot(direction_);
    return slope;
  }
  void take(double length, const Vector& point, double value) override {
    if (++steps_ % outputs_last == 0)
      sums_.outputs(point, outputs_);
    else
      outputs_ += length * change_;
    value_ = value;
    derive(point);
  }

  double first_dense_share() const override {
    const double ratio = static_cast<double>(model_.dimension()) / static_cast<double>(model_.sample_count());
    return std::clamp(40 * ratio, 0.1, 1.0);
  }
  void hessian(Matrix& out, double share, Index turn) override {
    const auto stride = static_cast<Index>(std::max(1.0, std::round(1 / share)));
    if (stride == 1) {
      sums_.mean_square(bends_, out);
    } else {
      const LinearSums part = sums_.sample(stride, turn % stride, LinearSums::Kind::squares);
      part.mean_square(part.pick(bends_), out);
    }
    if (model_.ridge().size()) out.diagonal() += model_.ridge();
  }

  double first_share() const override {
    const double ratio = static_cast<double>(model_.dimension()) / static_cast<double>(model_.sample_count());
    return std::clamp(4 * ratio, 0.1, 1.0);
  }
  void prepare_products(double share, Index turn) override {
    const auto stride = static_cast<Index>(std::max(1.0, std::round(1 / share)));
    share_ = 1 / static_cast<double>(stride);
    if (stride == 1)
      part_.emplace(sums_);
    else if (!part_ || stride != stride_ || turn != turn_)
      part_.emplace(sums_.sample(stride, turn % stride, LinearSums::Kind::vectors));
    stride_ = stride;
    turn_ = turn;
    weights_ = stride == 1 ? bends_ : part_->pick(bends_);
  }
  void product(const Vector& d, Vector& out) override {
    out.resize(d.size());
    part_->mean_square_product(weights_, d, out);
    if (model_.ridge().size()) out += model_.ridge().cwiseProduct(d);
  }
  Vector diagonal() override {
    Vector out(model_.dimension());
    part_->mean_square_diagonal(weights_, out);
    if (model_.ridge().size()) out += model_.ridge();
    return out;
  }

 private:
  double ridge_value(const Vector& x) const {
    return model_.ridge().size() ? 0.5 * model_.ridge().dot(x.cwiseAbs2()) : 0;
  }
  void derive(const Vector& x) {
    sums_.derivatives(outputs_, slopes_, bends_);
    sums_.mean_row(slopes_, gradient_);
    if (model_.ridge().size()) gradient_ += model_.ridge().cwiseProduct(x);
  }

  const LinearModel& model_;
  LinearSums sums_;
  std::optional<LinearSums> part_;
  Index stride_ = 0, turn_ = -1, steps_ = 0;
  Vector outputs_, change_, direction_, slopes_, bends_, weights_;
};

// Any objective with a Hessian, or products with it.
class PlainLandscape final : public Landscape {
 public:
  explicit PlainLandscape(const AnyObjective& objective) : objective_(objective) {
    convex_ = objective.convex();
    gradient_ = Vector::Zero(objective.dimension());
  }

  bool offers_hessian() const override {
    constexpr Index few_products = 300;
    return objective_.has_hessian() || objective_.dimension() <= few_products;
  }
  void go_to(const Vector& x) override {
    here_ = x;
    value_ = objective_.value_and_gradient(x, gradient_).value_or(std::nan(""));
  }
  double look_along(const Vector& d) override {
    direction_ = d;
    return 0;
  }
  double value_at(double, const Vector& point) override {
    return objective_.mean_value(point).value_or(std::nan(""));
  }
  double slope_at(double, const Vector& point) override {
    Vector there(point.size());
    objective_.value_and_gradient(point, there);
    return there.dot(direction_);
  }
  void take(double, const Vector& point, double) override { go_to(point); }
  void hessian(Matrix& out, double, Index) override { objective_.hessian(here_, out); }
  void prepare_products(double, Index) override {}
  void product(const Vector& d, Vector& out) override {
    out.resize(d.size());
    objective_.hessian_product(here_, d, out);
  }
  Vector diagonal() override {
    if (diagonal_.size()) return diagonal_;  // good enough for all of the phase
    if (auto known = objective_.curvature_diagonal()) return diagonal_ = *known;
    // Products with random signs: their entries times the signs have the diagonal as their mean.
    constexpr int probes = 8;
    const Stream signs(0, Purpose::generator);
    Vector sum = Vector::Zero(here_.size()), probe(here_.size()), image;
    for (int k = 0; k < probes; ++k) {
      for (Index j = 0; j < probe.size(); ++j)
        probe[j] = signs.uniform(static_cast<std::uint64_t>(j), static_cast<std::uint32_t>(k)) < 0.5 ? -1 : 1;
      product(probe, image);
      sum += probe.cwiseProduct(image);
    }
    return diagonal_ = (sum / probes).cwiseAbs();
  }

 private:
  const AnyObjective& objective_;
  Vector here_, direction_, diagonal_;
};

}  // namespace

std::unique_ptr<Landscape> Landscape::of(const Problem& problem) {
  const AnyObjective& objective = problem.objective();
  if (const LinearModel* model = objective.as_linear_model())
    return std::make_unique<LinearLandscape>(*model);
  if (!objective.has_exact_mean() || !objective.has_value()) return nullptr;
  if (!objective.has_hessian() && !objective.has_hessian_product()) return nullptr;
  return std::make_unique<PlainLandscape>(objective);
}

}  // namespace bridle::second
