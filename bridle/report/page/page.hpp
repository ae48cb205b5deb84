// Reports for the browser: one HTML file each that works without a network. They share a frame, a style and
// how figures come into them; a report adds its body, and the style and script of its own.
#pragma once

#include <string>
#include <string_view>

#include "bridle/report/json.hpp"

namespace bridle {

struct PageParts {
  std::string_view title, body, style, script;
  std::string_view library = {};  // a script that comes before the others
  std::string_view credits = {};  // of the library, for the foot of the page
};

// The page shows nothing but `figures`.
std::string html_page(const PageParts& parts, const Json& figures);

}  // namespace bridle
