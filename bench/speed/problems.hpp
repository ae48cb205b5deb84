// Made-up classification problems of a given size, with m covariance-like rows.
#pragma once

#include <array>
#include <utility>

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

// What people have besides, on top of such a row.
enum class Kind {
  plain,     // nothing: no ridge either
  ridge,     // 1e-4, as all that follow
  signs,     // 50 variables are at least 0 and have a budget
  monotone,  // 200 pairs of variables are in order
  rows,      // 1,000 more rows of 5 entries each
  many       // 10,000 of them
};
inline constexpr std::array kinds = {std::pair{"plain", Kind::plain}, std::pair{"ridge", Kind::ridge},
                                     std::pair{"signs", Kind::signs}, std::pair{"monotone", Kind::monotone},
                                     std::pair{"rows", Kind::rows},   std::pair{"many", Kind::many}};
Problem real_problem(const Size& size, Kind kind);

}  // namespace bridle::bench
