#include "bridle/scaling/centring.hpp"

#include <cmath>

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

struct Column {
  double nonzeros = 0, sum = 0, squares = 0, least = infinity, largest = -infinity;

  void add(double a) {
    nonzeros += 1;
    sum += a;
    squares += a * a;
    least = std::min(least, a);
    largest = std::max(largest, a);
  }
  bool constant(double samples) const { return nonzeros == samples && least == largest; }
  // Marks of a category (0 and one other value) stay as they are: centred, they would no longer be sparse.
  bool wants_centring(double samples) const {
    const double mean = sum / samples, variance = squares / samples - mean * mean;
    return 2 * nonzeros >= samples && least < largest && mean * mean > 0.25 * variance;
  }
};

std::vector<Column> columns_of(const Features& features) {
  std::vector<Column> out(static_cast<std::size_t>(features.columns()));
  for (Index i = 0; i < features.rows(); ++i)
    features.for_each(i, [&](Index j, double a) { out[static_cast<std::size_t>(j)].add(a); });
  return out;
}

Features shifted(const Features& features, const Vector& means) {
  if (const auto* dense = std::get_if<DenseRows<double>>(&features.storage()))
    return DenseRows<double>(dense->rowwise() - means.transpose());
  std::vector<Index> touched;
  for (Index j = 0; j < means.size(); ++j)
    if (means[j] != 0) touched.push_back(j);
  SparseRows out(features.rows(), features.columns());
  const auto& sparse = std::get<SparseRows>(features.storage());
  out.reserve(sparse.nonZeros() + features.rows() * static_cast<Index>(touched.size()) / 2);
  for (Index i = 0; i < features.rows(); ++i) {
    out.startVec(i);
    auto next = touched.begin();  // absent entries of centred columns become -mean
    for (SparseRows::InnerIterator it(sparse, i); it; ++it) {
      for (; next != touched.end() && *next < it.col(); ++next) out.insertBack(i, *next) = -means[*next];
      out.insertBack(i, it.col()) = it.value() - means[it.col()];
      if (next != touched.end() && *next == it.col()) ++next;
    }
    for (; next != touched.end(); ++next) out.insertBack(i, *next) = -means[*next];
  }
  out.finalize();
  return out;
}

}  // namespace

std::optional<Centring> Centring::of(const Problem& problem) {
  const LinearModel* model = problem.objective().as_linear_model();
  const auto bounds = problem.set().bounds();
  if (!model || !bounds || problem.stochastic_rows()) return {};
  if (std::holds_alternative<DenseRows<float>>(model->features().storage())) return {};  // would lose digits
  const auto samples = static_cast<double>(model->sample_count());
  const std::vector<Column> columns = columns_of(model->features());
  Vector means = Vector::Zero(problem.dimension());
  Index intercept = -1;
  for (Index j = 0; j < problem.dimension(); ++j) {
    const Column& column = columns[static_cast<std::size_t>(j)];
    const bool free = bounds->lower[j] == -infinity && bounds->upper[j] == infinity;
    if (column.constant(samples) && free && (model->ridge().size() == 0 || model->ridge()[j] == 0))
      intercept = j;
    else if (column.wants_centring(samples))
      means[j] = column.sum / samples;
  }
  if (intercept < 0 || means.isZero(0)) return {};
  return Centring(problem, means, intercept);
}

Centring::Centring(const Problem& problem, const Vector& means, Index intercept)
    : problem_(problem), intercept_(intercept) {
  const LinearModel& model = *problem.objective().as_linear_model();
  problem_ = problem.with_objective(LinearModel(shifted(model.features(), means), model.labels(),
                                                model.loss(), model.ridge(), model.variable_names()));
  means_ = means / columns_of(model.features())[static_cast<std::size_t>(intercept)].largest;
  Vector start = problem.starting_point();
  start[intercept] += means_.dot(start);
  problem_.start_from(std::move(start));

  // A x in the centred variables: a row that counts the intercept counts the means with it.
  const Rows& rows = problem.rows();
  if (rows.count() == 0) return;
  const Vector on_intercept = rows.matrix.col(intercept);
  if (on_intercept.isZero(0)) return;
  const SparseRows correction = Matrix(on_intercept * means_.transpose()).sparseView();
  problem_ = problem_.with_rows(rows.matrix - correction, rows.lower, rows.upper);
}

}  // namespace bridle
