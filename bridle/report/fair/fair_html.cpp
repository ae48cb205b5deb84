#include "bridle/report/fair/fair_html.hpp"

#include <string_view>

#include "bridle/report/version.hpp"

// Files that become part of the library as they are; CMake says where they lie.
#define BRIDLE_EMBED(name, file)                        \
  asm(".pushsection .rodata\n"                          \
      ".globl bridle_" #name                            \
      "_begin\n"                                        \
      "bridle_" #name "_begin:\n.incbin \"" file        \
      "\"\n"                                            \
      ".globl bridle_" #name                            \
      "_end\n"                                          \
      "bridle_" #name "_end:\n.byte 0\n.popsection\n"); \
  extern "C" const char bridle_##name##_begin[], bridle_##name##_end[]

BRIDLE_EMBED(chart, BRIDLE_CHART_FILE);
BRIDLE_EMBED(page, BRIDLE_PAGE_FOLDER "/page.html");
BRIDLE_EMBED(style, BRIDLE_PAGE_FOLDER "/page.css");
BRIDLE_EMBED(script, BRIDLE_PAGE_FOLDER "/page.js");

namespace bridle {
namespace {

void replace(std::string& text, std::string_view mark, std::string_view content) {
  const auto found = text.find(mark);
  if (found != std::string::npos) text.replace(found, mark.size(), content);
}

// Inside a script element "</" or "<!--" could end or hide it; JSON may write '<' as an escape.
std::string safe_in_script(const std::string& json) {
  std::string out;
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace

std::string fair_html(const Json& figures) {
  std::string page(bridle_page_begin, bridle_page_end);
  const std::string json = figures.dump(-1, ' ', true, Json::error_handler_t::replace);
  replace(page, "@VERSION@", version);
  replace(page, "@STYLE@", {bridle_style_begin, bridle_style_end});
  replace(page, "@CHART@", {bridle_chart_begin, bridle_chart_end});
  replace(page, "@SCRIPT@", {bridle_script_begin, bridle_script_end});
  replace(page, "@FIGURES@", safe_in_script(json));
  return page;
}

}  // namespace bridle
