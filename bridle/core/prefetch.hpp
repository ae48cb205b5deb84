// Asks the memory for what will be needed soon. Always inlined: gcc takes a function that does nothing else
// for one without effect, and leaves out its calls.
#pragma once

#include <cstddef>

namespace bridle {

inline constexpr std::size_t cache_line = 64;  // bytes

// A stretch of memory. Long ones into the second cache: several of them do not fit into the first.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, const T* to) {
  constexpr std::ptrdiff_t longest = 2048;  // bytes
  const auto *begin = reinterpret_cast<const char*>(from), *end = reinterpret_cast<const char*>(to);
  if (end - begin <= longest)
    for (const auto* p = begin; p < end; p += cache_line) __builtin_prefetch(p, 0, 3);
  else
    for (const auto* p = begin; p < end; p += cache_line) __builtin_prefetch(p, 0, 2);
}

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* from, std::ptrdiff_t count) {
  prefetch(from, from + count);
}

// One of many places all over the memory, into the second cache: it waits for more of them at a time than the
// first one does.
template <class T>
[[gnu::always_inline]] inline void prefetch_scattered(const T* at) {
  __builtin_prefetch(at, 0, 2);
}

}  // namespace bridle
