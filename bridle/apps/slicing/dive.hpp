// Completes a placement: the flows that are free are placed by the program over whole chains, the surest
// first, each solved anew with those before it tied.
#pragma once

#include "bridle/apps/slicing/chain_program.hpp"

namespace bridle {

class Dive {
 public:
  // Overload costs `penalty` per unit.
  Dive(const SliceInstance& instance, double penalty, StopRequest stop = {});

  // Places the flows whose hosting is empty though their chain is not; nothing if no hosting is left for one
  // of them, or Clp fails or is stopped.
  std::optional<Placement> complete(const std::vector<std::optional<Hosting>>& given);

 private:
  bool tie_surest(Placement& placement, std::vector<std::size_t>& free);

  const SliceInstance& instance_;
  double penalty_;
  StopRequest stop_;
  std::optional<ChainProgram> program_;
  int used_ = 0;
};

}  // namespace bridle
