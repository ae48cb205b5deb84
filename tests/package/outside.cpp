// What an outside project does first: include the installed headers, link the installed libraries, solve.
#include <cstdio>

#include "bridle/bridle.hpp"

int main() {
  // The point of the unit square nearest to (-1, 2) with x1 + x2 = 1.5 is (0.5, 1).
  using bridle::Matrix, bridle::Vector;
  bridle::SparseColumns identity(2, 2);
  identity.setIdentity();
  bridle::Problem problem(bridle::Quadratic(identity, Vector{{1.0, -2.0}}));
  problem.within(bridle::Box(Vector::Zero(2), Vector::Ones(2)));
  problem.subject_to(Matrix::Ones(1, 2), Vector::Constant(1, 1.5), Vector::Constant(1, 1.5));

  const bridle::Result result = bridle::solve(problem);
  std::printf("x = (%g, %g)\n", result.x[0], result.x[1]);
  return (result.x - Vector{{0.5, 1.0}}).norm() < 1e-3 ? 0 : 1;
}
