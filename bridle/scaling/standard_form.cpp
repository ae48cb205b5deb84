#include "bridle/scaling/standard_form.hpp"

#include <cmath>

namespace bridle {
namespace {

// Scaled copy of the kept rows with lengths: row i becomes R_i a_i C with R_i = 1 / |(a_i C, w_i)|.
SparseRows select_rows(const SparseRows& matrix, const std::vector<Index>& kept) {
  SparseRows out(static_cast<Index>(kept.size()), matrix.cols());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    out.startVec(static_cast<Index>(k));
    for (SparseRows::InnerIterator it(matrix, kept[k]); it; ++it)
      out.insertBack(static_cast<Index>(k), it.col()) = it.value();
  }
  out.finalize();
  return out;
}

}  // namespace

StandardForm::StandardForm(const Problem& problem, const Scaling& scaling)
    : StandardForm(presolve(problem, scaling.metric == MetricKind::cholesky), scaling) {}

StandardForm::StandardForm(const Presolved& reduced, const Scaling& scaling)
    : problem_(reduced.problem),
      variables_(problem_.dimension()),
      columns_(scaling.columns.size() ? scaling.columns : Vector(Vector::Ones(variables_))),
      set_(reduced.set),
      kept_rows_(reduced.kept_rows),
      dependent_rows_(reduced.dependent),
      metric_(MetricKind::identity, SparseRows(), Vector()) {
  problem_.set().make_admissible(columns_);
  unit_columns_ = (columns_.array() == 1.0).all();
  if (!unit_columns_) set_ = set_.scaled(columns_);

  const Rows& all = problem_.rows();
  matrix_ = select_rows(all.matrix, kept_rows_);
  const Vector reference = scaling.reference.size() ? scaling.reference : columns_;
  const bool literal = scaling.metric == MetricKind::identity;  // the paper's loop on the user's own rows
  row_scale_ = Vector::Ones(rows());
  right_ = Vector::Zero(rows());
  Vector coefficient_by_row = Vector::Zero(rows());
  std::vector<double> slack_scale, lower, upper;
  for (Index i = 0; i < rows(); ++i) {
    const Index original = kept_rows_[static_cast<std::size_t>(i)];
    double length_squared = 0, reference_squared = 0;
    for (SparseRows::InnerIterator it(matrix_, i); it; ++it) {
      reference_squared += std::pow(it.value() * reference[it.col()], 2);
      it.valueRef() *= columns_[it.col()];
      length_squared += it.value() * it.value();
    }
    const bool inequality = !all.is_equality(original);
    double w = 0;
    if (inequality) {
      w = literal ? 1.0 : (reference_squared > 0 ? std::sqrt(reference_squared) : 1.0);
      if (scaling.slacks.size()) w *= scaling.slacks[original];
      slack_rows_.push_back(i);
      slack_scale.push_back(w);
      lower.push_back(all.lower[original] / w);
      upper.push_back(all.upper[original] / w);
    }
    const double length = std::sqrt(length_squared + w * w);
    if (!literal && length > 0) row_scale_[i] = 1 / length;
    for (SparseRows::InnerIterator it(matrix_, i); it; ++it) it.valueRef() *= row_scale_[i];
    coefficient_by_row[i] = row_scale_[i] * w;
    if (!inequality) right_[i] = row_scale_[i] * all.lower[original];
  }
  const auto as_vector = [](const std::vector<double>& v) {
    return Vector(Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())));
  };
  slack_scale_ = as_vector(slack_scale);
  slack_lower_ = as_vector(lower);
  slack_upper_ = as_vector(upper);
  slack_coefficient_.resize(slack_scale_.size());
  for (Index k = 0; k < slack_scale_.size(); ++k)
    slack_coefficient_[k] = coefficient_by_row[slack_rows_[static_cast<std::size_t>(k)]];
  if (rows() > 0) metric_ = RowMetric(scaling.metric, matrix_, coefficient_by_row.cwiseAbs2());
}

void StandardForm::residual(ConstVectorRef v, VectorRef r) const {
  const auto* starts = matrix_.outerIndexPtr();
  const auto* columns = matrix_.innerIndexPtr();
  const auto* values = matrix_.valuePtr();
  for (Index i = 0; i < rows(); ++i) {
    double sum = -right_[i];
    for (auto e = starts[i]; e < starts[i + 1]; ++e) sum += values[e] * v[columns[e]];
    r[i] = sum;
  }
  for (Index k = 0; k < slack_coefficient_.size(); ++k)
    r[slack_rows_[static_cast<std::size_t>(k)]] -= slack_coefficient_[k] * v[variables_ + k];
}

void StandardForm::add_adjoint(ConstVectorRef w, VectorRef out) const {
  const auto* starts = matrix_.outerIndexPtr();
  const auto* columns = matrix_.innerIndexPtr();
  const auto* values = matrix_.valuePtr();
  for (Index i = 0; i < rows(); ++i)
    for (auto e = starts[i]; e < starts[i + 1]; ++e) out[columns[e]] += values[e] * w[i];
  for (Index k = 0; k < slack_coefficient_.size(); ++k)
    out[variables_ + k] -= slack_coefficient_[k] * w[slack_rows_[static_cast<std::size_t>(k)]];
}

void StandardForm::project(VectorRef v) const {
  set_.project(v.head(variables_));
  auto slacks = v.tail(slack_lower_.size());
  slacks = slacks.cwiseMax(slack_lower_).cwiseMin(slack_upper_);
}

template <class Evaluate>
void StandardForm::scaled_gradient(ConstVectorRef x, VectorRef out, VectorRef point,
                                   Evaluate&& evaluate) const {
  if (unit_columns_) return evaluate(x, out);
  point = columns_.cwiseProduct(x);
  evaluate(point, out);
  out.array() *= columns_.array();
}

void StandardForm::variable_gradient(ConstVectorRef x, Sample sample, VectorRef out, VectorRef point) const {
  scaled_gradient(x, out, point,
                  [&](ConstVectorRef at, VectorRef g) { problem_.objective().gradient(at, sample, g); });
}

void StandardForm::variable_batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out,
                                           VectorRef point) const {
  scaled_gradient(x, out, point, [&](ConstVectorRef at, VectorRef g) {
    problem_.objective().batch_gradient(at, samples, g);
  });
}

void StandardForm::batch_gradient(ConstVectorRef v, std::span<const Sample> samples, VectorRef out,
                                  VectorRef point) const {
  variable_batch_gradient(v.head(variables_), samples, out.head(variables_), point);
  out.tail(slack_lower_.size()).setZero();
}

void StandardForm::gradient(ConstVectorRef v, Sample sample, VectorRef out, VectorRef point) const {
  variable_gradient(v.head(variables_), sample, out.head(variables_), point);
  out.tail(slack_lower_.size()).setZero();
}

void StandardForm::mean_gradient(ConstVectorRef v, VectorRef out, VectorRef point) const {
  scaled_gradient(v.head(variables_), out.head(variables_), point,
                  [&](ConstVectorRef at, VectorRef g) { problem_.objective().mean_gradient(at, g); });
  out.tail(slack_lower_.size()).setZero();
}

Vector StandardForm::to_standard(ConstVectorRef x, const Vector& slacks) const {
  Vector v(dimension());
  v.head(variables_) = x.cwiseQuotient(columns_);
  for (Index k = 0; k < slack_scale_.size(); ++k) {
    const Index row = kept_rows_[static_cast<std::size_t>(slack_rows_[static_cast<std::size_t>(k)])];
    v[variables_ + k] = slacks[row] / slack_scale_[k];
  }
  return v;
}

Vector StandardForm::multipliers_to_standard(const Vector& y) const {
  Vector out(rows());
  for (Index i = 0; i < rows(); ++i) out[i] = y[kept_rows_[static_cast<std::size_t>(i)]] / row_scale_[i];
  return out;
}

Vector StandardForm::to_original(ConstVectorRef v) const {
  Vector x = columns_.cwiseProduct(v.head(variables_));
  problem_.set().project(x);
  return x;
}

Vector StandardForm::multipliers_to_original(ConstVectorRef y) const {
  Vector out = Vector::Zero(problem_.rows().count());
  for (Index i = 0; i < rows(); ++i) out[kept_rows_[static_cast<std::size_t>(i)]] = y[i] * row_scale_[i];
  return out;
}

Vector StandardForm::slacks_to_original(ConstVectorRef v) const {
  Vector out = Vector::Zero(problem_.rows().count());
  for (Index k = 0; k < slack_scale_.size(); ++k)
    out[kept_rows_[static_cast<std::size_t>(slack_rows_[static_cast<std::size_t>(k)])]] =
        v[variables_ + k] * slack_scale_[k];
  return out;
}

}  // namespace bridle
