// bench_speed steps [ROUNDS]
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "bench/speed/step_cost.hpp"

int main(int count, char** arguments) {
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 5;
  if (count > 1 && std::strcmp(arguments[1], "steps") == 0) {
    bridle::bench::step_cost(rounds);
    return 0;
  }
  fmt::print(stderr, "usage: bench_speed steps [ROUNDS]\n");
  return 2;
}
