#include "bridle/report/fair/fair_html.hpp"

#include "bridle/report/page/embed.hpp"
#include "bridle/report/page/page.hpp"

BRIDLE_EMBED(chart, BRIDLE_CHART_FILE);
BRIDLE_EMBED(fair_body, BRIDLE_REPORT_FOLDER "/fair/page/body.html");
BRIDLE_EMBED(fair_style, BRIDLE_REPORT_FOLDER "/fair/page/style.css");
BRIDLE_EMBED(fair_rates, BRIDLE_REPORT_FOLDER "/fair/page/rates.js");
BRIDLE_EMBED(fair_script, BRIDLE_REPORT_FOLDER "/fair/page/script.js");
BRIDLE_EMBED(fair_curve, BRIDLE_REPORT_FOLDER "/fair/page/curve.js");

namespace bridle {

std::string fair_html(const Json& figures) {
  const std::string script = std::string(bridle_fair_rates_begin, bridle_fair_rates_end) +
                             std::string(bridle_fair_script_begin, bridle_fair_script_end) +
                             std::string(bridle_fair_curve_begin, bridle_fair_curve_end);
  return html_page({.title = "fair classification",
                    .body = {bridle_fair_body_begin, bridle_fair_body_end},
                    .style = {bridle_fair_style_begin, bridle_fair_style_end},
                    .script = script,
                    .library = {bridle_chart_begin, bridle_chart_end},
                    .credits = " Plots: Chart.js (MIT licence), inside this file."},
                   figures);
}

}  // namespace bridle
