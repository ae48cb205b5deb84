// Linear constraints, bounds and (quadratic) objectives from LP, MPS and QPS files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle::io {

// minimise (or maximise) offset + cost'x + 1/2 x' hessian x, row_lower <= matrix x <= row_upper, lower <= x
// <= upper. Infinite bounds are true infinities; in files every number from 1e20 on, "inf" and "infinity"
// mean infinity.
struct LinearProgram {
  Names variables;
  Names rows;  // rows without a name in an LP text are called c1, c2, ... by position
  SparseRows matrix;
  Vector row_lower, row_upper;
  std::map<Index, SparseColumns> squares;  // rows that are matrix_i x + x'Qx: their Q, n x n, both triangles
  Vector lower, upper;
  Vector cost;
  double offset = 0;
  SparseColumns hessian;  // n x n, both triangles; no entries if the objective is linear
  bool maximise = false;
  std::string objective_name;
  std::vector<bool> integer;
  // Variables that the bounds (or free, or binary) section mentions. The others have the default bounds.
  std::vector<bool> bounded;
  std::vector<long> variable_lines;  // where each variable is first named
};

// What holds for a side that no bound was given for: the formats say 0 <= x, constraints written inside a
// problem file should not bound what they do not mention.
enum class DefaultBounds { nonnegative, free };

// Reads .lp, .mps or .qps, each also with .gz; throws InputError. MPS: fixed and free format, negative UP
// bounds on a variable without a lower bound make it unbounded below, a RHS entry r of the objective row
// means offset -r, N rows after the first are dropped, QUADOBJ and QSECTION list one triangle, QMATRIX both.
LinearProgram read_linear_program(const std::string& path,
                                  DefaultBounds defaults = DefaultBounds::nonnegative);

// LP text (CPLEX's format, an objective is not required); where stands in front of error messages.
LinearProgram parse_lp(std::string_view text, const std::string& where,
                       DefaultBounds defaults = DefaultBounds::nonnegative);

}  // namespace bridle::io
