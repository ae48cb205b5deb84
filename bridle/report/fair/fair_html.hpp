// The report: one HTML file that works without a network, the plotting library and the figures inside it.
#pragma once

#include <string>

#include "bridle/report/json.hpp"

namespace bridle {

// `figures` is what fit_json or sweep_json made; the page shows nothing else.
std::string fair_html(const Json& figures);

}  // namespace bridle
