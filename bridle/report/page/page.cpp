#include "bridle/report/page/page.hpp"

#include <map>

#include "bridle/report/page/embed.hpp"
#include "bridle/report/version.hpp"

BRIDLE_EMBED(page_frame, BRIDLE_REPORT_FOLDER "/page/frame.html");
BRIDLE_EMBED(page_style, BRIDLE_REPORT_FOLDER "/page/style.css");
BRIDLE_EMBED(page_script, BRIDLE_REPORT_FOLDER "/page/script.js");

namespace bridle {
namespace {

// Inside a script element "</" or "<!--" could end or hide it; JSON may write '<' as an escape.
std::string safe_in_script(const Json& json) {
  constexpr int one_line = -1;
  constexpr bool ascii_only = true;
  std::string out;
  for (const char c : json.dump(one_line, ' ', ascii_only, Json::error_handler_t::replace))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

// The frame with every @MARK@ replaced by its text; what is put in is not looked at again.
std::string filled(std::string_view frame, const std::map<std::string_view, std::string_view>& texts) {
  std::string out;
  for (std::size_t at = 0; at < frame.size();) {
    const auto begin = frame.find('@', at);
    out += frame.substr(at, begin - at);
    if (begin == std::string_view::npos) break;
    const auto end = frame.find('@', begin + 1);
    out += texts.at(frame.substr(begin + 1, end - begin - 1));
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string html_page(const PageParts& parts, const Json& figures) {
  const std::string data = safe_in_script(figures);
  return filled({bridle_page_frame_begin, bridle_page_frame_end},
                {{"TITLE", parts.title},
                 {"STYLE", {bridle_page_style_begin, bridle_page_style_end}},
                 {"OWN_STYLE", parts.style},
                 {"LIBRARY", parts.library},
                 {"BODY", parts.body},
                 {"VERSION", version},
                 {"CREDITS", parts.credits},
                 {"FIGURES", data},
                 {"SCRIPT", {bridle_page_script_begin, bridle_page_script_end}},
                 {"OWN_SCRIPT", parts.script}});
}

}  // namespace bridle
