#include "bridle/problem/objectives/linear_model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "bridle/core/error.hpp"
#include "bridle/core/threads.hpp"

namespace bridle {

LinearModel::LinearModel(Features features, Vector labels, Loss loss, Vector ridge, Names names)
    : data_(std::make_shared<Data>(Data{std::move(features), std::move(labels), std::move(names)})),
      loss_(loss),
      ridge_(std::move(ridge)) {
  const auto count = [](Index k) { return std::to_string(k); };
  if (sample_count() == 0 || dimension() == 0) throw InputError("linear model: the data is empty");
  if (data_->labels.size() != sample_count())
    throw InputError("linear model: " + count(sample_count()) + " rows but " + count(data_->labels.size()) +
                     " labels");
  if (ridge_.size() != 0 && ridge_.size() != dimension())
    throw InputError("linear model: " + count(dimension()) + " columns but " + count(ridge_.size()) +
                     " ridge weights");
  if (!data_->names.empty() && static_cast<Index>(data_->names.size()) != dimension())
    throw InputError("linear model: " + count(dimension()) + " columns but " +
                     count(static_cast<Index>(data_->names.size())) + " names");
  for (const double weight : ridge_)
    if (!(weight >= 0) || !is_finite(weight))
      throw InputError("linear model: ridge weight " + std::to_string(weight) +
                       "; it must be finite and >= 0");
  for (const double label : data_->labels)
    if (is_classification(loss_) ? std::abs(label) != 1 : !is_finite(label))
      throw InputError("linear model: label " + std::to_string(label) +
                       (is_classification(loss_) ? "; a classification loss needs labels -1 and +1"
                                                 : " is not a finite number"));
}

void LinearModel::batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const {
  const bool ridge_at_once = ridge_.size() && !processes_;  // else it must be added once, after the sum
  if (ridge_at_once)
    out = ridge_.cwiseProduct(x);
  else
    out.setZero();
  for (const Sample sample : samples)
    if (const Index i = static_cast<Index>(sample) - first_; is_here(i))
      data_->features.add_row(i,
                              loss_slope(loss_, data_->features.dot(i, x), data_->labels[i]) /
                                  static_cast<double>(samples.size()),
                              out);
  sum_over_processes(out);
  if (ridge_.size() && !ridge_at_once) out += ridge_.cwiseProduct(x);
}

double LinearModel::batch_value(ConstVectorRef x, std::span<const Sample> samples) const {
  const double ridge = ridge_value(x);
  double sum = 0;
  for (const Sample sample : samples)
    if (const Index i = static_cast<Index>(sample) - first_; is_here(i))
      sum += loss_value(loss_, data_->features.dot(i, x), data_->labels[i]) + ridge;
  sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / static_cast<double>(samples.size());
}

// Chunks are fixed by the data: large enough to be worth a thread, and a result of their own.
Index LinearModel::chunks_of_pass(Index result_size) const {
  const double least = std::max(1e5, 16 * static_cast<double>(result_size));
  return static_cast<Index>(std::clamp(data_->features.entries() / least, 1.0, 64.0));
}

std::pair<Index, Index> LinearModel::rows_of_chunk(Index chunk, Index chunks) const {
  return {chunk * rows_here() / chunks, (chunk + 1) * rows_here() / chunks};
}

void LinearModel::mean_gradient(ConstVectorRef x, VectorRef out) const {
  const auto add_slopes = [&](Index first, Index last, double* sum) {
    std::visit(
        [&](const auto& loss) {
          const auto slopes = [&](Index i, Index count, double* products) {
            for (Index k = 0; k < count; ++k) products[k] = loss.slope(products[k], data_->labels[i + k]);
          };
          data_->features.for_each_block(first, last, x, slopes, sum);
        },
        loss_);
  };
  const Index chunks = chunks_of_pass(dimension());
  out.setZero();
  if (chunks == 1) {  // nothing is allocated: methods with full gradients take this step after step
    add_slopes(0, rows_here(), out.data());
  } else {
    out = sum_in_order(static_cast<std::size_t>(chunks), threads_in_use(), Vector(out),
                       [&](std::size_t k, Vector& part) {
                         const auto [first, last] = rows_of_chunk(static_cast<Index>(k), chunks);
                         add_slopes(first, last, part.data());
                       });
  }
  sum_over_processes(out);
  out /= static_cast<double>(sample_count());
  if (ridge_.size()) out += ridge_.cwiseProduct(x);
}

double LinearModel::mean_loss(ConstVectorRef x) const {
  const Index chunks = chunks_of_pass(1);
  double sum = sum_in_order(static_cast<std::size_t>(chunks), threads_in_use(), 0.0,
                            [&](std::size_t chunk, double& part) {
                              const auto [first, last] = rows_of_chunk(static_cast<Index>(chunk), chunks);
                              std::visit(
                                  [&, begin = first, end = last](const auto& loss) {
                                    data_->features.for_each_block(
                                        begin, end, x, [&](Index i, Index count, const double* products) {
                                          for (Index k = 0; k < count; ++k)
                                            part += loss.value(products[k], data_->labels[i + k]);
                                        });
                                  },
                                  loss_);
                            });
  sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / static_cast<double>(sample_count());
}

double LinearModel::constant_loss() const {
  // Outputs to try: far out on both sides for classes, the spread of the labels for numbers.
  const auto samples = static_cast<double>(sample_count());
  Vector range(2);
  range << data_->labels.maxCoeff(), -data_->labels.minCoeff();
  if (processes_) processes_->largest(range);
  double low = -range[1], high = range[0];
  if (is_classification(loss_)) {
    low = -20;
    high = 20;
  }
  // Labels that are equal count together: classes are two, and numbers are often whole ones.
  std::vector<std::pair<double, double>> counted;
  if (is_classification(loss_)) {
    const auto positive = static_cast<double>((data_->labels.array() > 0).count());
    counted = {{-1, static_cast<double>(data_->labels.size()) - positive}, {1, positive}};
  } else {
    std::vector<double> labels(data_->labels.begin(), data_->labels.end());
    std::sort(labels.begin(), labels.end());
    for (const double label : labels) {
      if (counted.empty() || counted.back().first != label) counted.emplace_back(label, 0);
      counted.back().second += 1;
    }
  }
  constexpr Index tries = 200;
  Vector sums = Vector::Zero(tries + 1);
  for (Index k = 0; k <= tries; ++k) {
    const double t = low + (high - low) * static_cast<double>(k) / tries;
    for (const auto& [label, count] : counted) sums[k] += count * loss_value(loss_, t, label);
  }
  sum_over_processes(sums);
  return sums.minCoeff() / samples;
}

double LinearModel::mean_value(ConstVectorRef x) const { return mean_loss(x) + ridge_value(x); }

std::optional<double> LinearModel::smoothness() const {
  return loss_curvature(loss_) * mean_squared_norm(Vector::Ones(dimension())) +
         (ridge_.size() ? ridge_.maxCoeff() : 0.0);
}

Vector LinearModel::curvature_diagonal() const {
  Vector squares = Vector::Zero(dimension());
  for (Index i = 0; i < rows_here(); ++i)
    data_->features.for_each(i, [&](Index j, double a) { squares[j] += a * a; });
  sum_over_processes(squares);
  squares *= loss_curvature(loss_) / static_cast<double>(sample_count());
  if (ridge_.size()) squares += ridge_;
  return squares;
}

const ColumnStatistics& LinearModel::column_statistics() const {
  std::call_once(columns_->once, [this] { columns_->figures = count_columns(); });
  return columns_->figures;
}

ColumnStatistics LinearModel::count_columns() const {
  Vector nonzeros = Vector::Zero(dimension()), squares = nonzeros, sums = nonzeros;
  Vector largest = Vector::Constant(dimension(), -infinity), negative_least = largest;
  for (Index i = 0; i < rows_here(); ++i)
    data_->features.for_each(i, [&](Index j, double a) {
      nonzeros[j] += 1;
      sums[j] += a;
      squares[j] += a * a;
      largest[j] = std::max(largest[j], a);
      negative_least[j] = std::max(negative_least[j], -a);
    });
  for (Vector* figures : {&nonzeros, &squares, &sums}) sum_over_processes(*figures);
  if (processes_)
    for (Vector* figures : {&largest, &negative_least}) processes_->largest(*figures);
  const auto samples = static_cast<double>(sample_count());
  ColumnStatistics out{nonzeros / samples, Vector::Zero(dimension()), sums / samples, -negative_least,
                       largest};
  for (Index j = 0; j < dimension(); ++j)
    if (nonzeros[j] > 0) out.magnitude[j] = std::sqrt(squares[j] / nonzeros[j]);
  return out;
}

double LinearModel::mean_squared_norm(ConstVectorRef column_scale) const {
  double sum = 0;
  for (Index i = 0; i < rows_here(); ++i)
    data_->features.for_each(i, [&](Index j, double a) { sum += a * a * column_scale[j] * column_scale[j]; });
  sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / static_cast<double>(sample_count());
}

void LinearModel::outer_products(std::span<const Index> samples, ConstVectorRef x, VectorRef out) const {
  out.setZero();
  for (const Index sample : samples)
    if (const Index i = sample - first_; is_here(i))
      data_->features.add_row(i, data_->features.dot(i, x), out);
  sum_over_processes(out);
}

LinearModel LinearModel::with_loss(Loss loss) const {
  LinearModel copy = *this;
  copy.loss_ = loss;
  return copy;
}

LinearModel LinearModel::with_features(Features features) const {
  LinearModel copy = *this;
  copy.data_ = std::make_shared<Data>(Data{std::move(features), data_->labels, data_->names});
  copy.columns_ = std::make_shared<CountedColumns>();
  return copy;
}

LinearModel LinearModel::part(const std::vector<Index>& rows) const {
  return {data_->features.part(rows), data_->labels(rows), loss_, ridge_, data_->names};
}

LinearModel LinearModel::share(Index first, Index count) const {
  LinearModel copy = *this;
  copy.data_ = std::make_shared<Data>(Data{
      data_->features.rows_from(first - first_, count), data_->labels.segment(first - first_, count), {}});
  copy.columns_ = std::make_shared<CountedColumns>();
  copy.first_ = copy.total_ = 0;
  copy.processes_ = nullptr;
  return copy;
}

LinearModel LinearModel::spread(Index first, Index total, std::shared_ptr<const Processes> processes) const {
  LinearModel copy = *this;
  copy.first_ = first;
  copy.total_ = total;
  copy.processes_ = std::move(processes);
  copy.columns_ = std::make_shared<CountedColumns>();
  return copy;
}

}  // namespace bridle
