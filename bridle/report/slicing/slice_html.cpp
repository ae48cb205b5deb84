#include "bridle/report/page/embed.hpp"
#include "bridle/report/page/page.hpp"
#include "bridle/report/slicing/slice_report.hpp"

BRIDLE_EMBED(slice_body, BRIDLE_REPORT_FOLDER "/slicing/page/body.html");
BRIDLE_EMBED(slice_style, BRIDLE_REPORT_FOLDER "/slicing/page/style.css");
BRIDLE_EMBED(slice_script, BRIDLE_REPORT_FOLDER "/slicing/page/script.js");

namespace bridle {

std::string slice_html(const Json& figures) {
  return html_page({.title = "network slicing",
                    .body = {bridle_slice_body_begin, bridle_slice_body_end},
                    .style = {bridle_slice_style_begin, bridle_slice_style_end},
                    .script = {bridle_slice_script_begin, bridle_slice_script_end}},
                   figures);
}

}  // namespace bridle
