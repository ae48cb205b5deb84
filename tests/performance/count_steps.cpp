// A fixed run of Algorithm 1 for instruction counts: count_steps lazy|fused STEPS.
#include <cstdio>
#include <string>

#include "bridle/algorithms/registry.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

#include "tests/properties.hpp"

int main(int count, char** arguments) {
  using namespace bridle;
  if (count != 3) return 2;
  const bool lazy = std::string(arguments[1]) == "lazy";
  const std::uint64_t steps = std::stoul(arguments[2]);

  constexpr Index samples = 300, n = 100;
  const Matrix data = test::random_sparse(samples, n, lazy ? 0.15 : 1, 1);
  const Vector labels = (test::random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(lazy ? LinearModel(SparseRows(data.sparseView()), labels, LogisticLoss{})
                       : LinearModel(DenseRows<double>(data), labels, LogisticLoss{}));
  problem.subject_to(test::random_matrix(2, n, 3), test::vec(-0.1, 0), test::vec(0.1, 0));
  const StandardForm form(problem, {});
  Iterate start;
  start.x = start.z = Vector::Zero(form.dimension());
  start.y = Vector::Zero(form.rows());
  const Stage stage{{.tau = 0.01, .eta = 0.3, .beta = 0.02, .mu = 0.5, .rho = 1}, {Decay::cosine}, 20'000};
  const IterateChoice choice = choose_iterate(form, stage, start);
  if ((choice.kind == IterateKind::lazy) != lazy) return 1;
  const auto method = find_algorithm("smoothed")->create(form, start, {.iterate = choice});
  method->run(stage, 0, steps);
  std::printf("%g\n", method->state().x.norm());
  return method->state().finite() ? 0 : 1;
}
