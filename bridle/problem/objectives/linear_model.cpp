#include "bridle/problem/objectives/linear_model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "bridle/core/error.hpp"
#include "bridle/problem/losses/loss_block.hpp"
#include "bridle/problem/objectives/row_passes.hpp"

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

RowPasses LinearModel::passes() const { return RowPasses(data_->features, passes_over_.get()); }

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

namespace {

// sum += the slopes of rows first, ..., last - 1 times the rows; returns the sum of their losses where these
// are wanted.
template <bool with_losses>
double add_slopes(const LinearModel& model, ConstVectorRef x, Index first, Index last, double* sum) {
  double losses = 0;
  std::visit(
      [&](const auto& loss) {
        const auto slopes = [&](Index i, Index count, double* products) {
          const double* const labels = model.labels().data() + i;
          if constexpr (with_losses) losses += sum_of_losses(model.loss(), products, labels, count);
          for (Index k = 0; k < count; ++k) products[k] = loss.slope(products[k], labels[k]);
        };
        model.features().for_each_block(first, last, x, slopes, sum);
      },
      model.loss());
  return losses;
}

}  // namespace

void LinearModel::mean_gradient(ConstVectorRef x, VectorRef out) const {
  const RowPasses passes = this->passes();
  const auto size = static_cast<double>(dimension());
  out.setZero();
  if (RowPasses::chunks(passes.entries(), size) == 1)
    // nothing is allocated: methods with full gradients take this step after step
    add_slopes<false>(*this, x, 0, rows_here(), out.data());
  else
    out = passes.sum(passes.entries(), size, Vector(out), [&](Index first, Index last, Vector& part) {
      add_slopes<false>(*this, x, first, last, part.data());
    });
  sum_over_processes(out);
  out /= static_cast<double>(sample_count());
  if (ridge_.size()) out += ridge_.cwiseProduct(x);
}

double LinearModel::value_and_gradient(ConstVectorRef x, VectorRef out) const {
  const RowPasses passes = this->passes();
  const Index n = dimension();
  // The last entry is the value.
  Vector sum = passes.sum(passes.entries(), static_cast<double>(n), Vector(Vector::Zero(n + 1)),
                          [&](Index first, Index last, Vector& part) {
                            part[n] += add_slopes<true>(*this, x, first, last, part.data());
                          });
  sum_over_processes(sum);
  sum /= static_cast<double>(sample_count());
  out = sum.head(n);
  if (ridge_.size()) out += ridge_.cwiseProduct(x);
  return sum[n] + ridge_value(x);
}

double LinearModel::mean_loss(ConstVectorRef x) const {
  const RowPasses passes = this->passes();
  double sum = passes.sum(passes.entries(), 1, 0.0, [&](Index first, Index last, double& part) {
    data_->features.for_each_block(first, last, x, [&](Index i, Index count, const double* products) {
      part += sum_of_losses(loss_, products, data_->labels.data() + i, count);
    });
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
  const RowPasses passes = this->passes();
  Vector squares = passes.sum(passes.entries(), static_cast<double>(dimension()),
                              Vector(Vector::Zero(dimension())), [&](Index first, Index last, Vector& part) {
                                data_->features.for_each_of(
                                    first, last, [&](Index, Index j, double a) { part[j] += a * a; });
                              });
  sum_over_processes(squares);
  squares *= loss_curvature(loss_) / static_cast<double>(sample_count());
  if (ridge_.size()) squares += ridge_;
  return squares;
}

const ColumnStatistics& LinearModel::column_statistics() const {
  std::call_once(columns_->once, [this] { columns_->figures = count_columns(); });
  return columns_->figures;
}

namespace {

// Of every column: what is added up, and what is the largest.
struct ColumnSums {
  enum Row { nonzeros, sum, squares, added, largest = added, negative_least, count };
  Matrix of_columns;  // a column of each

  static ColumnSums zero(Index columns) {
    ColumnSums out{Matrix::Zero(count, columns)};
    out.of_columns.bottomRows<count - added>().setConstant(-infinity);
    return out;
  }
  ColumnSums& operator+=(const ColumnSums& other) {
    of_columns.topRows<added>() += other.of_columns.topRows<added>();
    constexpr Index rest = count - added;
    of_columns.bottomRows<rest>() =
        of_columns.bottomRows<rest>().cwiseMax(other.of_columns.bottomRows<rest>());
    return *this;
  }
  void see(Index column, double a) {
    double* const figures = of_columns.data() + count * column;
    figures[nonzeros] += 1;
    figures[sum] += a;
    figures[squares] += a * a;
    figures[largest] = std::max(figures[largest], a);
    figures[negative_least] = std::max(figures[negative_least], -a);
  }
  Vector row(Row figure) const { return of_columns.row(figure); }
};
std::span<double> numbers_of(ColumnSums& sums) { return bridle::numbers_of(sums.of_columns); }

}  // namespace

ColumnStatistics LinearModel::count_columns() const {
  const RowPasses passes = this->passes();
  const ColumnSums sums = passes.sum(
      passes.entries(), static_cast<double>(ColumnSums::count * dimension()), ColumnSums::zero(dimension()),
      [&](Index first, Index last, ColumnSums& part) {
        data_->features.for_each_of(first, last, [&](Index, Index j, double a) { part.see(j, a); });
      });
  Vector nonzeros = sums.row(ColumnSums::nonzeros), squares = sums.row(ColumnSums::squares),
         total = sums.row(ColumnSums::sum), largest = sums.row(ColumnSums::largest),
         negative_least = sums.row(ColumnSums::negative_least);
  for (Vector* figures : {&nonzeros, &squares, &total}) sum_over_processes(*figures);
  if (processes_)
    for (Vector* figures : {&largest, &negative_least}) processes_->largest(*figures);
  const auto samples = static_cast<double>(sample_count());
  ColumnStatistics out{
      nonzeros / samples, Vector::Zero(dimension()), total / samples, -negative_least, largest, samples};
  for (Index j = 0; j < dimension(); ++j)
    if (nonzeros[j] > 0) out.magnitude[j] = std::sqrt(squares[j] / nonzeros[j]);
  return out;
}

double LinearModel::mean_squared_norm(ConstVectorRef column_scale) const {
  const RowPasses passes = this->passes();
  double sum = passes.sum(passes.entries(), 1, 0.0, [&](Index first, Index last, double& part) {
    data_->features.for_each_of(
        first, last, [&](Index, Index j, double a) { part += a * a * column_scale[j] * column_scale[j]; });
  });
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
  copy.processes_ = copy.passes_over_ = nullptr;
  return copy;
}

LinearModel LinearModel::spread(Index first, Index total, std::shared_ptr<const Processes> processes) const {
  LinearModel copy = *this;
  copy.first_ = first;
  copy.total_ = total;
  copy.processes_ = std::move(processes);
  copy.passes_over_ = nullptr;
  copy.columns_ = std::make_shared<CountedColumns>();
  return copy;
}

LinearModel LinearModel::with_passes_over(std::shared_ptr<const Processes> processes) const {
  LinearModel copy = *this;
  copy.passes_over_ = std::move(processes);
  copy.columns_ = std::make_shared<CountedColumns>();
  return copy;
}

bool LinearModel::passes_worth_processes() const { return passes().worth_processes(); }

}  // namespace bridle
