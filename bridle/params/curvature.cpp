#include "bridle/params/curvature.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/oracle/draws.hpp"

namespace bridle {
namespace {

// Sample number k of round r.
Sample probe_sample(const AnyObjective& objective, const Stream& stream, std::uint64_t round,
                    std::uint32_t k) {
  return drawn_sample(objective, stream, (std::uint64_t{1} << 40) + round, k);
}

}  // namespace

CurvatureEstimate estimate_curvature(const StandardForm& form, const Vector& v, int iterations, Index batch,
                                     std::uint64_t seed, std::uint64_t round) {
  const AnyObjective& objective = form.problem().objective();
  if (objective.deterministic()) batch = 1;
  const Stream stream(seed, Purpose::curvature);
  const Index n = form.variables();
  Vector direction(form.dimension()), moved(v.size()), here(v.size()), there(v.size()), product(v.size()),
      point(n);
  direction.setZero();
  stream.fill_normal(direction.head(n), round);
  direction.normalize();
  const double distance = 1e-3 * (1 + v.head(n).norm());

  CurvatureEstimate out;
  double variance_sum = 0;
  for (int k = 0; k < iterations; ++k) {
    moved = v + distance * direction;
    product.setZero();
    Vector mean = Vector::Zero(v.size());
    double squares = 0;
    for (Index b = 0; b < batch; ++b) {
      const Sample sample = probe_sample(objective, stream, round, static_cast<std::uint32_t>(k * batch + b));
      form.gradient(moved, sample, there, point);
      form.gradient(v, sample, here, point);
      product += (there - here) / distance;
      mean += here;
      squares += here.squaredNorm();
    }
    const auto count = static_cast<double>(batch);
    product /= count;
    mean /= count;
    out.gradients += 2 * batch;
    out.gradient_norm = mean.norm();
    if (batch > 1) {
      const double variance = (squares / count - mean.squaredNorm()) * count / (count - 1);
      if (variance > 1e-12 * squares / count) variance_sum += variance;
    }
    const double length = product.norm();
    // The first half of the iterations only turns the direction; a stale early maximum fades.
    out.curvature = std::max(k < iterations / 2 ? 0.5 * out.curvature : out.curvature, length);
    if (!(length > 1e-300) || !std::isfinite(length)) break;
    direction = product / length;
  }
  out.noise = std::sqrt(variance_sum / iterations);
  return out;
}

ColumnCurvature estimate_column_curvature(const Problem& problem, const Vector& x, const Vector& column_scale,
                                          int probes, Index batch, std::uint64_t seed, std::uint64_t round) {
  const AnyObjective& objective = problem.objective();
  if (objective.deterministic()) batch = 1;
  const Stream stream(seed, Purpose::curvature);
  const std::uint64_t counter = (std::uint64_t{1} << 41) + round;
  const Index n = problem.dimension();
  Vector offset(n), there(n), here(n), product(n);
  ColumnCurvature out{Vector::Zero(n), 0};
  for (int k = 0; k < probes; ++k) {
    for (Index j = 0; j < n; ++j) {
      const bool up =
          stream.bits(counter + (static_cast<std::uint64_t>(k) << 32), static_cast<std::uint32_t>(j)).first &
          1;
      offset[j] = (up ? 1e-3 : -1e-3) * column_scale[j];
    }
    product.setZero();
    for (Index b = 0; b < batch; ++b) {
      const Sample sample = probe_sample(objective, stream, (std::uint64_t{1} << 20) + round,
                                         static_cast<std::uint32_t>(k * batch + b));
      objective.gradient(x + offset, sample, there);
      objective.gradient(x, sample, here);
      product += (there - here).cwiseQuotient(offset.cwiseAbs());
    }
    out.gradients += 2 * batch;
    out.rows += (product / static_cast<double>(batch)).cwiseAbs2();
  }
  out.rows = (out.rows / static_cast<double>(probes)).cwiseSqrt();
  return out;
}

double linear_model_curvature(const LinearModel& model, const Vector& column_scale, std::uint64_t seed) {
  const Stream stream(seed, Purpose::curvature);
  const Index n = model.dimension(), rows = std::min<Index>(model.sample_count(), 2000);
  std::vector<Index> chosen(static_cast<std::size_t>(rows));
  for (Index k = 0; k < rows; ++k)
    chosen[static_cast<std::size_t>(k)] =
        rows == model.sample_count()
            ? k
            : static_cast<Index>(stream.below(static_cast<std::uint64_t>(model.sample_count()),
                                              static_cast<std::uint64_t>(k), 7));
  Vector v(n), image(n);
  stream.fill_normal(v, std::uint64_t{1} << 42);
  double eigenvalue = 0;
  for (int k = 0; k < 12; ++k) {
    const Vector scaled = column_scale.cwiseProduct(v.normalized());
    model.outer_products(chosen, scaled, image);
    v = column_scale.cwiseProduct(image) / static_cast<double>(rows);
    eigenvalue = v.norm();
    if (!(eigenvalue > 0)) break;
  }
  return loss_curvature(model.loss()) * eigenvalue;
}

}  // namespace bridle
