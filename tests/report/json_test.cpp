// Solutions with very many names, written and read back.
#include "bridle/report/json.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/io/files.hpp"

namespace bridle {
namespace {

// Looking through all names for each would be 4e10 comparisons: this test would not end in time.
TEST(Json, ManyNames) {
  constexpr Index n = 200'000;
  Result result;
  for (Index j = 0; j < n; ++j)
    result.variable_names.push_back("variable_with_a_long_name_" + std::to_string(j));
  result.x = Vector::LinSpaced(n, -1, 1);
  const std::string file = testing::write_file("many.json", to_text(to_json(result, 0)));
  Problem problem(Quadratic(SparseColumns(n, n), Vector::Zero(n)));
  problem.name_variables(result.variable_names);
  const Solution read = read_solution(file, problem);
  EXPECT_EQ(read.x, result.x);
}

}  // namespace
}  // namespace bridle
