// Several processes that work on one problem: each has a part, and what is added up is the same in all.
#pragma once

#include "bridle/core/types.hpp"

namespace bridle {

class Processes {
 public:
  virtual ~Processes() = default;
  virtual Index count() const = 0;
  virtual Index number() const = 0;  // of this one, from 0
  // figures <- the sum, or the largest, over all processes: the same bits in each. Collectives: all processes
  // ask for the same in the same order.
  virtual void sum(VectorRef figures) const = 0;
  virtual void largest(VectorRef figures) const = 0;
};

}  // namespace bridle
