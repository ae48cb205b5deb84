#include "bridle/report/fair/fair_html.hpp"

#include "bridle/report/embed.hpp"
#include "bridle/report/version.hpp"

BRIDLE_EMBED(chart, BRIDLE_CHART_FILE);
BRIDLE_EMBED(fair_page, BRIDLE_PAGE_FOLDER "/page.html");
BRIDLE_EMBED(fair_style, BRIDLE_PAGE_FOLDER "/page.css");
BRIDLE_EMBED(fair_script, BRIDLE_PAGE_FOLDER "/page.js");

namespace bridle {

std::string fair_html(const Json& figures) {
  std::string page(bridle_fair_page_begin, bridle_fair_page_end);
  replace_mark(page, "@VERSION@", version);
  replace_mark(page, "@STYLE@", {bridle_fair_style_begin, bridle_fair_style_end});
  replace_mark(page, "@CHART@", {bridle_chart_begin, bridle_chart_end});
  replace_mark(page, "@SCRIPT@", {bridle_fair_script_begin, bridle_fair_script_end});
  replace_mark(page, "@FIGURES@", safe_in_script(figures));
  return page;
}

}  // namespace bridle
