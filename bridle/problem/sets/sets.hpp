// Every set Bridle comes with.
#pragma once

#include "bridle/problem/sets/bounded_simplex.hpp"
#include "bridle/problem/sets/box.hpp"
#include "bridle/problem/sets/half_space.hpp"
#include "bridle/problem/sets/hyperplane.hpp"
#include "bridle/problem/sets/l1_ball.hpp"
#include "bridle/problem/sets/ordered_cone.hpp"
#include "bridle/problem/sets/polyhedron.hpp"
#include "bridle/problem/sets/product.hpp"
#include "bridle/problem/sets/simplex.hpp"
