// Parameters in a TOML file: tau, eta, beta, mu, rho, alpha, decay, floor, metric, columns.
#pragma once

#include <string>

#include "bridle/run/options.hpp"

namespace bridle {

GivenParameters read_parameters(const std::string& path);
// What `read_parameters` reads back, with a comment for each value that has a reason.
std::string parameters_text(const GivenParameters& choice, const Reasons& reasons);

}  // namespace bridle
