// A linear model in variables in which its columns have mean 0.
//
// A column that varies around a mean far from 0 points almost the same way as the intercept's, and no scaling
// of single columns cures that. With the means m_j moved into the intercept, a_i'x = (a_i - m)'x + (intercept
// + m'x), the model is the same one and well-conditioned. The user's variables differ in the intercept only.
#pragma once

#include <optional>

#include "bridle/problem/problem.hpp"

namespace bridle {

class Centring {
 public:
  // Nothing where no column needs it, or no free and unpenalised intercept is there to make up for it.
  static std::optional<Centring> of(const Problem& problem);

  const Problem& problem() const { return problem_; }  // the same problem in the centred variables
  void to_user(VectorRef x) const { x[intercept_] -= means_.dot(x); }
  void from_user(VectorRef x) const { x[intercept_] += means_.dot(x); }  // the intercept's own mean is 0

 private:
  Centring(const Problem& problem, const Vector& means, Index intercept, double constant);

  Problem problem_;
  Vector means_;  // in units of the intercept's column; 0 where a column stays as it is
  Index intercept_;
};

}  // namespace bridle
