// Losses of many outputs at once, with exponentials and logarithms that run in lanes.
#pragma once

#include "bridle/core/types.hpp"
#include "bridle/problem/losses/losses.hpp"

namespace bridle {

// The sum of V(t_i, label_i).
double sum_of_losses(const Loss& loss, const double* t, const double* labels, Index count);

// slopes_i <- V'(t_i, label_i), bends_i <- V''(t_i, label_i). `slopes` may be `t`.
void loss_derivatives(const Loss& loss, const double* t, const double* labels, Index count, double* slopes,
                      double* bends);

}  // namespace bridle
