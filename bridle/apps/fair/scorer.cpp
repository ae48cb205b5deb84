#include "bridle/apps/fair/scorer.hpp"

#include "bridle/problem/objectives/row_square.hpp"

namespace bridle {

Vector LinearScorer::scores(const Vector& w) const {
  Vector out(features_.rows());
  features_.for_each_block(0, features_.rows(), w, [&](Index first, Index count, const double* products) {
    std::copy(products, products + count, out.data() + first);
  });
  return out;
}

void LinearScorer::pull_back(const Vector&, const Vector& factors, Vector& out) const {
  out = Vector::Zero(features_.columns());
  for (Index i = 0; i < factors.size(); ++i)
    if (factors[i] != 0) features_.add_row(i, factors[i], out);
}

void LinearScorer::second_derivatives(const Vector&, const Vector&, const Vector& bends, Matrix& out) const {
  out = Matrix::Zero(features_.columns(), features_.columns());
  add_row_squares(features_, bends.data(), 0, features_.rows(), out);
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
}

}  // namespace bridle
