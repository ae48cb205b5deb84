#include "bridle/problem/objectives/linear_sums.hpp"

#include <array>

#include "bridle/core/threads.hpp"
#include "bridle/problem/losses/loss_block.hpp"
#include "bridle/problem/objectives/row_square.hpp"

namespace bridle {
namespace {

constexpr double work_of_a_chunk = 1e5;  // multiply-adds that are worth a thread
constexpr Index outputs_at_once = 512;

}  // namespace

// Chunks are fixed by the data: large enough to be worth a thread, and a result of their own.
template <class Result, class Compute>
Result LinearSums::sum_over_rows(double work, double result_size, const Result& zero,
                                 const Compute& compute) const {
  const double least = std::max(work_of_a_chunk, 16 * result_size);
  const auto chunks = static_cast<std::size_t>(std::clamp(work / least, 1.0, 64.0));
  const auto total = static_cast<std::size_t>(rows());
  return sum_in_order(chunks, threads_in_use(), zero, [&](std::size_t k, Result& part) {
    compute(static_cast<Index>(k * total / chunks), static_cast<Index>((k + 1) * total / chunks), part);
  });
}

template <class Compute>
void LinearSums::for_each_chunk(const Compute& compute) const {
  const auto chunks = static_cast<std::size_t>(std::clamp(features_->entries() / work_of_a_chunk, 1.0, 64.0));
  const auto total = static_cast<std::size_t>(rows());
  in_parallel(chunks, threads_in_use(), [&](std::size_t k) {
    compute(static_cast<Index>(k * total / chunks), static_cast<Index>((k + 1) * total / chunks));
  });
}

void LinearSums::outputs(ConstVectorRef x, VectorRef t) const {
  double* const out = t.data();
  for_each_chunk([&](Index first, Index last) {
    features_->for_each_block(first, last, x, [&](Index i, Index count, const double* products) {
      std::copy(products, products + count, out + i);
    });
  });
}

double LinearSums::mean_loss(const Vector& t) const {
  double sum =
      sum_over_rows(50.0 * static_cast<double>(rows()), 1, 0.0, [&](Index first, Index last, double& part) {
        part = sum_of_losses(model_.loss(), t.data() + first, model_.labels().data() + first, last - first);
      });
  model_.sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / samples();
}

double LinearSums::mean_loss(const Vector& t, const Vector& u, double length) const {
  double sum =
      sum_over_rows(50.0 * static_cast<double>(rows()), 1, 0.0, [&](Index first, Index last, double& part) {
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
  slopes.resize(t.size());
  bends.resize(t.size());
  for_each_chunk([&](Index first, Index last) {
    loss_derivatives(model_.loss(), t.data() + first, model_.labels().data() + first, last - first,
                     slopes.data() + first, bends.data() + first);
  });
}

double LinearSums::mean_product(const Vector& v, const Vector& w) const {
  double sum = v.dot(w);
  model_.sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / samples();
}

void LinearSums::mean_row(const Vector& w, VectorRef out) const {
  const Vector zero = Vector::Zero(features_->columns());
  out = sum_over_rows(features_->entries(), static_cast<double>(zero.size()), zero,
                      [&](Index first, Index last, Vector& part) {
                        features_->add_rows(first, last, w.data(), part.data());
                      });
  model_.sum_over_processes(out);
  out /= samples();
}

void LinearSums::mean_square(const Vector& w, Matrix& out) const {
  const Index n = features_->columns();
  const double in_row = features_->entries() / static_cast<double>(std::max<Index>(1, rows()));
  const double work = features_->entries() * (in_row + 1) / 2;
  out = sum_over_rows(work, static_cast<double>(n) * static_cast<double>(n), Matrix(Matrix::Zero(n, n)),
                      [&](Index first, Index last, Matrix& part) {
                        add_row_squares(*features_, w.data(), first, last, part);
                      });
  model_.sum_over_processes(out.reshaped());
  out /= samples();
  for (Index j = 1; j < n; ++j)
    for (Index i = 0; i < j; ++i) out(i, j) = out(j, i);
}

void LinearSums::mean_square_product(const Vector& w, ConstVectorRef d, VectorRef out) const {
  const Vector zero = Vector::Zero(features_->columns());
  out = sum_over_rows(2 * features_->entries(), static_cast<double>(zero.size()), zero,
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
  out = sum_over_rows(features_->entries(), static_cast<double>(zero.size()), zero,
                      [&](Index first, Index last, Vector& part) {
                        for (Index i = first; i < last; ++i)
                          features_->for_each(i, [&, weight = std::abs(w[i])](Index j, double a) {
                            part[j] += weight * a * a;
                          });
                      });
  model_.sum_over_processes(out);
  out /= samples();
}

LinearSums LinearSums::sample(Index stride, Index offset) const {
  std::vector<Index> chosen;
  for (Index i = offset; i < rows(); i += stride) chosen.push_back(i);
  LinearSums out(model_);
  out.part_ = std::make_shared<const Features>(features_->part(chosen));
  out.features_ = out.part_.get();
  out.stride_ = stride;
  out.offset_ = offset;
  out.samples_ = static_cast<double>(chosen.size());
  model_.sum_over_processes(VectorRef(Eigen::Map<Vector>(&out.samples_, 1)));
  out.samples_ = std::max(1.0, out.samples_);
  return out;
}

Vector LinearSums::pick(const Vector& w) const {
  Vector out(rows());
  for (Index k = 0; k < out.size(); ++k) out[k] = w[offset_ + k * stride_];
  return out;
}

double LinearModel::value_and_gradient(ConstVectorRef x, VectorRef out) const {
  const LinearSums sums(*this);
  Vector t(rows_here()), slopes, bends;
  sums.outputs(x, t);
  const double loss = sums.mean_loss(t);
  sums.derivatives(t, slopes, bends);
  sums.mean_row(slopes, out);
  if (ridge_.size()) out += ridge_.cwiseProduct(x);
  return loss + ridge_value(x);
}

void LinearModel::hessian_product(ConstVectorRef x, ConstVectorRef direction, VectorRef out) const {
  const LinearSums sums(*this);
  Vector t(rows_here()), slopes, bends;
  sums.outputs(x, t);
  sums.derivatives(t, slopes, bends);
  sums.mean_square_product(bends, direction, out);
  if (ridge_.size()) out += ridge_.cwiseProduct(direction);
}

void LinearModel::hessian(ConstVectorRef x, Matrix& out) const {
  const LinearSums sums(*this);
  Vector t(rows_here()), slopes, bends;
  sums.outputs(x, t);
  sums.derivatives(t, slopes, bends);
  sums.mean_square(bends, out);
  if (ridge_.size()) out.diagonal() += ridge_;
}

}  // namespace bridle
