// Asks the memory for what will be needed soon. Always inlined: gcc takes a function that does nothing else
// for one without effect, and leaves out its calls.
#pragma once

#include <cstddef>

namespace bridle {

inline constexpr std::size_t cache_line = 64;  // bytes

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, const T* to) {
  for (const auto* p = reinterpret_cast<const char*>(from); p < reinterpret_cast<const char*>(to);
       p += cache_line)
    __builtin_prefetch(p);
}

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, std::ptrdiff_t count) {
  prefetch(from, from + count);
}

template <class T>
[[gnu::always_inline]] inline void prefetch_for_writing(const T* at) {
  __builtin_prefetch(at, 1);
}

}  // namespace bridle
