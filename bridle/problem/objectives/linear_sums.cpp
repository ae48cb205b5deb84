#include "bridle/problem/objectives/linear_sums.hpp"

#include <array>
#include <cmath>

#include "bridle/problem/losses/loss_block.hpp"
#include "bridle/problem/objectives/row_square.hpp"

namespace bridle {
namespace {

constexpr Index outputs_at_once = 512;

}  // namespace

LinearSums::LinearSums(const LinearModel& model)
    : model_(model), features_(&model.features()), passes_(model.passes()), passes_of_all_(passes_) {}

void LinearSums::outputs(ConstVectorRef x, Vector& t) const {
  if (t.size() != rows()) passes_.size_for_rows(t);
  double* const out = t.data();
  passes_.for_each_chunk([&](Index first, Index last) {
    features_->for_each_block(first, last, x, [&](Index i, Index count, const double* products) {
      std::copy(products, products + count, out + i);
    });
  });
}

double LinearSums::mean_loss(const Vector& t) const {
  double sum = passes_.sum_of_figures([&](Index first, Index last, double& part) {
    part = sum_of_losses(model_.loss(), t.data() + first, model_.labels().data() + first, last - first);
  });
  model_.sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / samples();
}

double LinearSums::mean_loss(const Vector& t, const Vector& u, double length) const {
  double sum = passes_.sum_of_figures([&](Index first, Index last, double& part) {
    std::array<double, outputs_at_once> moved;
    for (Index i = first; i < last; i += outputs_at_once) {
      const Index count = std::min(outputs_at_once, last - i);
      for (Index k = 0; k < count; ++k) moved[static_cast<std::size_t>(k)] = t[i + k] + length * u[i + k];
      part += sum_of_losses(model_.loss(), moved.data(), model_.labels().data() + i, count);
    }
  });
  model_.sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / samples();
}

void LinearSums::derivatives(const Vector& t, Vector& slopes, Vector& bends) const {
  for (Vector* figures : {&slopes, &bends})
    if (figures->size() != rows()) passes_.size_for_rows(*figures);
  passes_.for_each_chunk([&](Index first, Index last) {
    loss_derivatives(model_.loss(), t.data() + first, model_.labels().data() + first, last - first,
                     slopes.data() + first, bends.data() + first);
  });
}

double LinearSums::mean_product(const Vector& v, const Vector& w) const {
  double sum = passes_.sum_of_figures([&](Index first, Index last, double& part) {
    part = v.segment(first, last - first).dot(w.segment(first, last - first));
  });
  model_.sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / samples();
}

void LinearSums::mean_row(const Vector& w, VectorRef out) const {
  const Vector zero = Vector::Zero(features_->columns());
  out = passes_.sum(passes_.entries(), static_cast<double>(zero.size()), zero,
                    [&](Index first, Index last, Vector& part) {
                      features_->add_rows(first, last, w.data(), part.data());
                    });
  model_.sum_over_processes(out);
  out /= samples();
}

LinearSums::PassSize LinearSums::size_of_vectors() const {
  return {passes_.entries(), static_cast<double>(features_->columns())};
}

LinearSums::PassSize LinearSums::size_of_squares() const {
  const double in_row = passes_.entries() / std::max(1.0, samples());
  const auto n = static_cast<double>(features_->columns());
  return {passes_.entries() * (in_row + 1) / 2, n * n};
}

void LinearSums::mean_square(const Vector& w, Matrix& out) const {
  const Index n = features_->columns();
  const auto [work, size] = size_of_squares();
  Vector room;
  const bool has_them = stride_ > 1 || passes_.sees_own_rows(work, size);
  const Vector& weights = has_them ? w : passes_.completed(w, room);
  out = passes_.sum(work, size, Matrix(Matrix::Zero(n, n)), [&](Index first, Index last, Matrix& part) {
    add_row_squares(*features_, weights.data(), first, last, part);
  });
  model_.sum_over_processes(out.reshaped());
  out /= samples();
  for (Index j = 1; j < n; ++j)
    for (Index i = 0; i < j; ++i) out(i, j) = out(j, i);
}

void LinearSums::mean_square_product(const Vector& w, ConstVectorRef d, VectorRef out) const {
  const Vector zero = Vector::Zero(features_->columns());
  out = passes_.sum(2 * passes_.entries(), static_cast<double>(zero.size()), zero,
                    [&](Index first, Index last, Vector& part) {
                      const auto weigh = [&](Index i, Index count, double* products) {
                        for (Index k = 0; k < count; ++k) products[k] *= w[i + k];
                      };
                      features_->for_each_block(first, last, d, weigh, part.data());
                    });
  model_.sum_over_processes(out);
  out /= samples();
}

void LinearSums::mean_square_diagonal(const Vector& w, VectorRef out) const {
  const Vector zero = Vector::Zero(features_->columns());
  out = passes_.sum(
      passes_.entries(), static_cast<double>(zero.size()), zero, [&](Index first, Index last, Vector& part) {
        features_->for_each_of(first, last,
                               [&](Index i, Index j, double a) { part[j] += std::abs(w[i]) * a * a; });
      });
  model_.sum_over_processes(out);
  out /= samples();
}

LinearSums LinearSums::sample(Index stride, Index offset, Kind kind) const {
  const Index before = model_.first_ % stride, start = (offset + stride - before) % stride;
  std::vector<Index> chosen;
  for (Index i = start; i < rows(); i += stride) chosen.push_back(i);
  LinearSums out(model_);
  out.stride_ = stride;
  out.start_ = start;
  out.samples_ = std::max(
      1.0, std::ceil(static_cast<double>(model_.sample_count() - offset) / static_cast<double>(stride)));
  out.passes_ = model_.passes_over(chosen);
  const auto [work, size] = kind == Kind::squares ? out.size_of_squares() : out.size_of_vectors();
  const auto [first, end] = out.passes_.rows_needed(work, size);
  out.part_ = std::make_shared<const Features>(features_->part(chosen, first, end));
  out.features_ = out.part_.get();
  return out;
}

Vector LinearSums::pick(const Vector& w) const {
  Vector out(rows());
  for (Index k = 0; k < out.size(); ++k) out[k] = w[start_ + k * stride_];
  passes_of_all_.complete(out, start_, stride_);
  return out;
}

void LinearModel::hessian_product(ConstVectorRef x, ConstVectorRef direction, VectorRef out) const {
  const LinearSums sums(*this);
  Vector t, slopes, bends;
  sums.outputs(x, t);
  sums.derivatives(t, slopes, bends);
  sums.mean_square_product(bends, direction, out);
  if (ridge_.size()) out += ridge_.cwiseProduct(direction);
}

void LinearModel::hessian(ConstVectorRef x, Matrix& out) const {
  const LinearSums sums(*this);
  Vector t, slopes, bends;
  sums.outputs(x, t);
  sums.derivatives(t, slopes, bends);
  sums.mean_square(bends, out);
  if (ridge_.size()) out.diagonal() += ridge_;
}

}  // namespace bridle
