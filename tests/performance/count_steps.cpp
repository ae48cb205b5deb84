// A fixed run for instruction counts: count_steps KIND STEPS, where KIND is fused, lazy, or pairs (Algorithm
// 1, the last one lazy with 100 monotone pairs and a ridge of several values), sampled (Algorithm 2, lazy) or
// storm (Algorithm 3, lazy).
#include <cstdio>
#include <string>

#include "bridle/algorithms/registry.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index samples = 300, n = 100;

LinearModel sparse_model(Index columns, double density) {
  const Matrix data = test::random_sparse(samples, columns, density, 1);
  const Vector labels = (test::random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  return {SparseRows(data.sparseView()), labels, LogisticLoss{}};
}

Problem with_two_rows(LinearModel model) {
  Problem problem(std::move(model));
  problem.subject_to(test::random_matrix(2, n, 3), test::vec(-0.1, 0), test::vec(0.1, 0));
  return problem;
}

Problem dense_problem() {
  const LinearModel sparse = sparse_model(n, 1);
  return with_two_rows(
      {DenseRows<double>(std::get<SparseView>(sparse.features().storage()).matrix().toDense()),
       sparse.labels(), LogisticLoss{}});
}

// So many rows, and so short ones, that drawing them touches few variables.
Problem with_many_rows() {
  constexpr Index columns = 2000, rows = 90;
  Problem problem(sparse_model(columns, 0.005));
  problem.subject_to(test::random_sparse(rows, columns, 0.005, 3), Vector::Constant(rows, -0.1),
                     Vector::Constant(rows, 0.1));
  return problem;
}

Problem with_pairs() {
  constexpr Index columns = 1000, pairs = 100;
  const LinearModel plain = sparse_model(columns, 0.015);
  Vector ridge(columns);
  for (Index j = 0; j < columns; ++j) ridge[j] = 0.01 * static_cast<double>(1 + j % 5);
  Problem problem(LinearModel(plain.features(), plain.labels(), plain.loss(), ridge));
  Matrix rows = Matrix::Zero(pairs + 1, columns);
  rows.row(0) = test::random_vector(columns, 3).transpose();
  for (Index k = 0; k < pairs; ++k) {
    rows(k + 1, 2 * k) = 1;
    rows(k + 1, 2 * k + 1) = -1;
  }
  problem.subject_to(rows, Vector::Constant(pairs + 1, -infinity), Vector::Constant(pairs + 1, -0.01));
  return problem;
}

int run(const std::string& kind, std::uint64_t steps) {
  const bool sampled = kind == "sampled";
  const auto* algorithm = find_algorithm(sampled ? "safeguarded" : kind == "storm" ? "storm" : "smoothed");
  const Problem problem = sampled           ? with_many_rows()
                          : kind == "fused" ? dense_problem()
                          : kind == "pairs" ? with_pairs()
                                            : with_two_rows(sparse_model(n, 0.15));
  Scaling scaling;
  if (sampled) scaling.metric = MetricKind::diagonal;
  const StandardForm form(problem, scaling);
  Iterate start;
  start.x = start.z = Vector::Zero(form.dimension());
  start.y = Vector::Zero(form.rows());
  const Stage stage{
      {.tau = 0.01, .eta = 0.3, .beta = 0.02, .mu = 0.5, .rho = 1, .alpha = 0.1}, {Decay::cosine}, 20'000};
  const auto* representation = algorithm->choose(form, stage, start).representation;
  if (representation->name != (kind == "fused" ? "fused" : "lazy")) return 1;
  const auto method = representation->create(form, stage, start, {});
  method->run(stage, 0, steps);
  std::printf("%.17g\n", method->snapshot().x.norm());
  return method->snapshot().finite() ? 0 : 1;
}

}  // namespace
}  // namespace bridle

int main(int count, char** arguments) {
  return count == 3 ? bridle::run(arguments[1], std::stoul(arguments[2])) : 2;
}
