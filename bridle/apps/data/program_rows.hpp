// Rows and bounds of an LP or MPS file, added to a problem whose variables it names.
#pragma once

#include "bridle/io/linear_program.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/problem/set.hpp"

namespace bridle {

// The program's variables are a subset of the problem's; its rows join the problem's, the bounds it states
// narrow `bounds`, and `stated`, where only those of constraints are kept. `where` stands in front of error
// messages.
void add_program(Problem& problem, const io::LinearProgram& program, const std::string& where, Bounds& bounds,
                 Bounds* stated = nullptr);

}  // namespace bridle
