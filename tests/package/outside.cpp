// What an outside project does first: include the installed headers, link the installed libraries, run.
#include <cstdio>

#include "bridle/problem/sets/box.hpp"

int main() {
  const bridle::Box box(bridle::Vector::Zero(2), bridle::Vector::Ones(2));
  bridle::Vector x(2);
  x << -1, 2;
  box.project(x);
  std::printf("projected to (%g, %g)\n", x[0], x[1]);
  return x[0] == 0 && x[1] == 1 ? 0 : 1;
}
