// Made-up classification problems of a given size, with m covariance-like rows.
#pragma once

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle::bench {

enum class Storage { sparse, dense, dense_float };
constexpr const char* name_of(Storage storage) {
  return storage == Storage::sparse ? "sparse" : storage == Storage::dense ? "double" : "float";
}

struct Size {
  Storage storage;
  Index samples, variables, nonzeros;  // nonzeros of a sample; dense: all
  Index rows = 1;
};

LinearModel made_up_model(const Size& size);
// |row r of A x| <= 0.001, rows dense over the columns that the data uses.
Problem made_up_problem(const LinearModel& model, Index rows);

}  // namespace bridle::bench
