// Logs of runs as a picture: objective, feasibility and stationarity against samples and seconds.
#pragma once

#include "bridle/report/plot/run_log.hpp"

namespace bridle {

// One SVG file that needs nothing else. The objective is drawn as it is, the others by their logarithms.
std::string plot_svg(const std::vector<RunLog>& logs);
// The same in a page, with a table of where the runs ended.
std::string plot_html(const std::vector<RunLog>& logs);

}  // namespace bridle
