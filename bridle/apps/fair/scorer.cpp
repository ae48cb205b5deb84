#include "bridle/apps/fair/scorer.hpp"

#include "bridle/core/tree_sum.hpp"
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

Vector NetworkScorer::scores(const Vector& w) const {
  Vector out(features_.rows());
  network_.for_each_block(features_, 0, features_.rows(), w,
                          [&](Index first, Index count, const double* scores) {
                            std::copy(scores, scores + count, out.data() + first);
                          });
  return out;
}

void NetworkScorer::pull_back(const Vector& w, const Vector& factors, Vector& out) const {
  out = sum_over_chunks(features_.rows(), threads_in_use(), Vector(Vector::Zero(weights())),
                        [&](Index from, Index to, Vector& sum) {
                          network_.for_each_block(
                              features_, from, to, w,
                              [&](Index first, Index count, double* scores) {
                                std::copy(factors.data() + first, factors.data() + first + count, scores);
                              },
                              sum.data());
                        });
}

void NetworkScorer::second_derivatives(const Vector& w, const Vector& factors, const Vector& bends,
                                       Matrix& out) const {
  out.resize(weights(), weights());
  for (Index j = 0; j < weights(); ++j)
    out.col(j) =
        sum_over_chunks(features_.rows(), threads_in_use(), Vector(Vector::Zero(weights())),
                        [&](Index from, Index to, Vector& sum) {
                          network_.add_hessian_product(
                              features_, from, to, w, Vector::Unit(weights(), j),
                              [&](Index first, Index count, double* scores, double* bent) {
                                std::copy(factors.data() + first, factors.data() + first + count, scores);
                                std::copy(bends.data() + first, bends.data() + first + count, bent);
                              },
                              sum.data());
                        });
  out = (0.5 * (out + out.transpose())).eval();
}

std::unique_ptr<const Scorer> make_scorer(const Features& features, const Hidden& hidden) {
  if (hidden.empty()) return std::make_unique<LinearScorer>(features);
  return std::make_unique<NetworkScorer>(features, NeuralNetwork(features.columns(), hidden));
}

}  // namespace bridle
