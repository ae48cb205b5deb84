// Everything a C++ user needs to state a problem and solve it.
#pragma once

#include "bridle/certify/certify.hpp"
#include "bridle/diagnose/gradient_check.hpp"
#include "bridle/network/consensus.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/solve.hpp"
