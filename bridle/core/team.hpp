// Processes that execute the workers of one run together. Each has all of the problem.
#pragma once

#include <span>

#include "bridle/core/types.hpp"

namespace bridle {

class Team {
 public:
  virtual ~Team() = default;
  virtual Index count() const = 0;
  virtual Index number() const = 0;  // of this process, from 0
  // all <- the columns that the processes bring, `columns[p]` of them process p, in this order; the same in
  // each. A collective: all processes ask for it at the same moment of the run.
  virtual void gather(const Matrix& mine, std::span<const Index> columns, Matrix& all) const = 0;
};

}  // namespace bridle
