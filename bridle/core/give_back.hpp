// Memory that is not needed any more, inside an array that still is: its pages go back to the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sys/mman.h>

namespace bridle {

// The values are lost: they must not be read again, and must need no destructor.
template <class T>
void give_back(const T* first, std::size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
#ifdef MADV_DONTNEED
  constexpr std::uintptr_t page = 4096;  // where pages are larger the system refuses, and nothing happens
  const auto begin = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(first + count) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

}  // namespace bridle
