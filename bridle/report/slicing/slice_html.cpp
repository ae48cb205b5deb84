#include "bridle/report/embed.hpp"
#include "bridle/report/slicing/slice_report.hpp"
#include "bridle/report/version.hpp"

BRIDLE_EMBED(slice_page, BRIDLE_SLICE_PAGE_FOLDER "/page.html");
BRIDLE_EMBED(slice_style, BRIDLE_SLICE_PAGE_FOLDER "/page.css");
BRIDLE_EMBED(slice_script, BRIDLE_SLICE_PAGE_FOLDER "/page.js");

namespace bridle {

std::string slice_html(const Json& figures) {
  std::string page(bridle_slice_page_begin, bridle_slice_page_end);
  replace_mark(page, "@VERSION@", version);
  replace_mark(page, "@STYLE@", {bridle_slice_style_begin, bridle_slice_style_end});
  replace_mark(page, "@SCRIPT@", {bridle_slice_script_begin, bridle_slice_script_end});
  replace_mark(page, "@FIGURES@", safe_in_script(figures));
  return page;
}

}  // namespace bridle
