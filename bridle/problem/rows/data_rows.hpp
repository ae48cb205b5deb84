// Rows that are expectations over a data set: E over samples i of coefficient_i a_i' x, such as the
// covariance of a score with an attribute. A draw looks at `per_draw` samples only.
#pragma once

#include <memory>
#include <string>

#include "bridle/core/error.hpp"
#include "bridle/problem/objectives/features.hpp"
#include "bridle/problem/stochastic_rows.hpp"

namespace bridle {

class DataRows {
 public:
  // Row r is (1/N) sum_i coefficients(i, r) a_i.
  DataRows(std::shared_ptr<const Features> features, Matrix coefficients, Index per_draw = 1)
      : features_(std::move(features)),
        coefficients_(std::make_shared<const Matrix>(std::move(coefficients))),
        per_draw_(per_draw) {
    if (coefficients_->rows() != features_->rows())
      throw InputError("data rows: " + std::to_string(features_->rows()) + " samples but coefficients for " +
                       std::to_string(coefficients_->rows()));
    if (per_draw < 1) throw InputError("data rows: at least one sample must be drawn");
  }

  Index dimension() const { return features_->columns(); }
  Index count() const { return coefficients_->cols(); }

  void draw(Sample zeta, RowSample& out) const {
    const Stream stream(zeta, Purpose::constraint);
    for (Index k = 0; k < per_draw_; ++k) {
      const auto i = static_cast<Index>(
          stream.below(static_cast<std::uint64_t>(features_->rows()), static_cast<std::uint64_t>(k)));
      for (Index r = 0; r < count(); ++r) {
        out.begin_row(r, 1 / static_cast<double>(per_draw_), 0);
        const double coefficient = (*coefficients_)(i, r);
        features_->for_each(i, [&](Index j, double a) { out.add(j, coefficient * a); });
      }
    }
  }

  MeanRows mean() const {
    Matrix sum = Matrix::Zero(count(), dimension());
    for (Index i = 0; i < features_->rows(); ++i)
      features_->for_each(i, [&](Index j, double a) { sum.col(j) += a * coefficients_->row(i).transpose(); });
    sum /= static_cast<double>(features_->rows());
    return {SparseRows(sum.sparseView()), Vector::Zero(count())};
  }

 private:
  std::shared_ptr<const Features> features_;
  std::shared_ptr<const Matrix> coefficients_;
  Index per_draw_;
};

}  // namespace bridle
