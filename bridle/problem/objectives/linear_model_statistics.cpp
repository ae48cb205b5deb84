// What is counted of a linear model's data: figures about its columns and labels.
#include <algorithm>
#include <vector>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/row_passes.hpp"

namespace bridle {

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

double LinearModel::mean_squared_smoothness() const {
  const double bend = loss_curvature(loss_), ridge = ridge_.size() ? ridge_.maxCoeff() : 0.0;
  const RowPasses passes = this->passes();
  double sum = passes.sum(passes.entries(), 1, 0.0, [&](Index first, Index last, double& part) {
    for (Index i = first; i < last; ++i) {
      double squared_length = 0;
      data_->features.for_each(i, [&](Index, double a) { squared_length += a * a; });
      const double smoothness = bend * squared_length + ridge;
      part += smoothness * smoothness;
    }
  });
  sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / static_cast<double>(sample_count());
}

double LinearModel::constant_loss() const {
  // Outputs to try: far out on both sides for classes, the spread of the labels for numbers.
  Vector range(2);
  range << data_->labels.maxCoeff(), -data_->labels.minCoeff();
  if (const Processes* among = processes_ ? processes_.get() : shares_ ? shares_->among.get() : nullptr)
    among->largest(range);
  double low = -range[1], high = range[0];
  if (is_classification(loss_)) {
    low = -20;
    high = 20;
  }
  constexpr Index tries = 200;
  Vector sums =
      passes().sum_whole(Vector(Vector::Zero(tries + 1)), [&](Index first, Index last, Vector& part) {
        // Labels that are equal count together: classes are two, and numbers are often whole ones.
        const auto add = [&](double label, Index count) {
          for (Index t = 0; t <= tries; ++t)
            part[t] += static_cast<double>(count) *
                       loss_value(loss_, low + (high - low) * static_cast<double>(t) / tries, label);
        };
        const auto here = data_->labels.segment(first, last - first);
        if (is_classification(loss_)) {
          const Index positive = (here.array() > 0).count();
          add(-1, here.size() - positive);
          add(1, positive);
          return;
        }
        std::vector<double> labels(here.begin(), here.end());
        std::sort(labels.begin(), labels.end());
        for (std::size_t k = 0, next = 0; k < labels.size(); k = next) {
          while (next < labels.size() && labels[next] == labels[k]) ++next;
          add(labels[k], static_cast<Index>(next - k));
        }
      });
  sum_over_processes(sums);
  return sums.minCoeff() / static_cast<double>(sample_count());
}

}  // namespace bridle
