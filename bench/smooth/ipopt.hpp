// The same problems by Ipopt, from the same start, with exact Hessians.
#pragma once

#include "bridle/problem/problem.hpp"

namespace bridle {

struct IpoptAnswer {
  Vector x, multipliers;
  int evaluations = 0;  // of gradients
};
IpoptAnswer solve_with_ipopt(const Problem& problem);

}  // namespace bridle
