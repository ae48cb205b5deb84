// Parameters in a TOML file: tau, eta, beta, mu, rho, alpha, decay, metric.
#pragma once

#include <string>

#include "bridle/run/options.hpp"

namespace bridle {

GivenParameters read_parameters(const std::string& path);

}  // namespace bridle
