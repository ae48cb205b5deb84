// The judge measures gradients against those at the origin. That of a network is a saddle where hardly
// anything has a gradient, so that a network is judged in deviations from the weights that its training began
// with.
#pragma once

#include "bridle/certify/certify.hpp"

namespace bridle {

// The certificate of x for the same problem with its origin at `origin`. The problem has no linear rows, and
// the whole space as its set.
Certificate judged_from(const Vector& origin, const Problem& problem, const Vector& x,
                        const Vector& multipliers, const CertifyOptions& options);

}  // namespace bridle
