// Files that become part of the library as they are, and pages made of them. CMake says where they lie.
#pragma once

#include <string>
#include <string_view>

#include "bridle/report/json.hpp"

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

namespace bridle {

inline void replace_mark(std::string& text, std::string_view mark, std::string_view content) {
  const auto found = text.find(mark);
  if (found != std::string::npos) text.replace(found, mark.size(), content);
}

// Inside a script element "</" or "<!--" could end or hide it; JSON may write '<' as an escape.
inline std::string safe_in_script(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace bridle
