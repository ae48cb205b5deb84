// The processes that run a problem together. This one stands for a single process; the room mpi has many.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bridle/core/error.hpp"

namespace bridle {

// An error that all ranks throw together: they end in good order, and rank 0 tells.
class ErrorOfAll : public InputError {
 public:
  using InputError::InputError;
};

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const { return 0; }
  virtual int ranks() const { return 1; }
  // What every rank has to say, in the order of the ranks. A collective: all ranks call it at the same
  // places. Throws InputError when a rank has met one instead.
  virtual std::vector<std::string> all(std::string mine) const { return {std::move(mine)}; }
};

}  // namespace bridle
