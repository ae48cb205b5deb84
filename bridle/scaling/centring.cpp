#include "bridle/scaling/centring.hpp"

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

// Of one column.
bool is_constant(const ColumnStatistics& columns, Index j) {
  return columns.frequency[j] == 1 && columns.least[j] == columns.largest[j];
}

// Marks of a category (0 and one other value) stay as they are: centred, they would no longer be sparse.
bool wants_centring(const ColumnStatistics& columns, Index j) {
  const double square = columns.mean[j] * columns.mean[j];
  const double variance = columns.frequency[j] * columns.magnitude[j] * columns.magnitude[j] - square;
  return columns.frequency[j] >= 0.5 && columns.least[j] < columns.largest[j] && square > 0.25 * variance;
}

std::vector<Index> columns_with(const Vector& means) {
  std::vector<Index> out;
  for (Index j = 0; j < means.size(); ++j)
    if (means[j] != 0) out.push_back(j);
  return out;
}

Features shifted(const Features& features, const Vector& means) {
  if (const auto* dense = std::get_if<DenseView<double>>(&features.storage()))
    return DenseRows<double>(dense->matrix().rowwise() - means.transpose());
  const std::vector<Index> touched = columns_with(means);
  SparseRows out(features.rows(), features.columns());
  const auto& sparse = std::get<SparseView>(features.storage());
  out.reserve(sparse.nonZeros() + features.rows() * static_cast<Index>(touched.size()) / 2);
  for (Index i = 0; i < features.rows(); ++i) {
    out.startVec(i);
    auto next = touched.begin();  // absent entries of centred columns become -mean
    sparse.for_each(i, [&](Index j, double value) {
      for (; next != touched.end() && *next < j; ++next) out.insertBack(i, *next) = -means[*next];
      out.insertBack(i, j) = value - means[j];
      if (next != touched.end() && *next == j) ++next;
    });
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
  if (std::holds_alternative<DenseView<float>>(model->features().storage())) return {};  // would lose digits
  const ColumnStatistics& columns = model->column_statistics();
  Vector means = Vector::Zero(problem.dimension());
  Index intercept = -1;
  for (Index j = 0; j < problem.dimension(); ++j) {
    const bool free = bounds->lower[j] == -infinity && bounds->upper[j] == infinity;
    if (is_constant(columns, j) && free && (model->ridge().size() == 0 || model->ridge()[j] == 0))
      intercept = j;
    else if (wants_centring(columns, j))
      means[j] = columns.mean[j];
  }
  if (intercept < 0 || means.isZero(0)) return {};
  return Centring(problem, means, intercept, columns.largest[intercept]);
}

Centring::Centring(const Problem& problem, const Vector& means, Index intercept, double constant)
    : problem_(problem), intercept_(intercept) {
  const LinearModel& model = *problem.objective().as_linear_model();
  problem_ = problem.with_objective(model.with_features(shifted(model.features(), means)));
  means_ = means / constant;
  Vector start = problem.starting_point();
  from_user(start);
  problem_.start_from(std::move(start));

  // A x in the centred variables: a row that counts the intercept counts the means with it.
  const Rows& rows = problem.rows();
  if (rows.count() == 0) return;
  const Vector on_intercept = rows.matrix.col(intercept);
  if (on_intercept.isZero(0)) return;
  const std::vector<Index> centred = columns_with(means_);
  SparseRows correction(rows.count(), problem.dimension());
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < rows.count(); ++i)
    if (on_intercept[i] != 0)
      for (const Index j : centred) entries.emplace_back(i, j, on_intercept[i] * means_[j]);
  correction.setFromTriplets(entries.begin(), entries.end());
  problem_ = problem_.with_rows(rows.matrix - correction, rows.lower, rows.upper);
}

}  // namespace bridle
