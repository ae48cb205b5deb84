// [[constraints.ball]]: |x_B - centre|_2 <= radius, a smooth row over some variables.
#pragma once

#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

void add_balls(Problem& problem, TomlSection& constraints);

}  // namespace bridle
