// Text by printf's rules as a string of whatever length, for the solver's rooms, which do without fmt.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace bridle {

[[gnu::format(printf, 1, 2)]] inline std::string formatted(const char* pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string out(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(out.data(), out.size() + 1, pattern, again);
  va_end(again);
  return out;
}

}  // namespace bridle
