// Bounds on rates on the screen.
#pragma once

#include "bridle/apps/fair/sweep.hpp"

namespace bridle {

std::string rate_sweep_text(const Sweep& sweep);

}  // namespace bridle
