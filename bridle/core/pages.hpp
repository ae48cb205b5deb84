// What large arrays ask of the system about the pages of memory they lie on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sys/mman.h>

namespace bridle {

namespace detail {
// The whole pages among `count` values from `first` on.
template <class T>
void advise(const T* first, std::size_t count, int advice) {
  constexpr std::size_t page = 4096;  // where pages are larger the system refuses, and nothing happens
  auto* const bytes = const_cast<char*>(reinterpret_cast<const char*>(first));
  const std::size_t size = count * sizeof(T);
  const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(first) % page) % page;
  if (skipped + page <= size) madvise(bytes + skipped, (size - skipped) / page * page, advice);
}
}  // namespace detail

// Large pages for an array before it is filled: reading on goes faster where it need not stop at small ones.
template <class T>
void ask_for_large_pages([[maybe_unused]] const T* first, [[maybe_unused]] std::size_t count) {
#ifdef MADV_HUGEPAGE
  detail::advise(first, count, MADV_HUGEPAGE);
#endif
}

// Memory that is not needed any more, inside an array that still is. The values are lost: they must not be
// read again, and must need no destructor.
template <class T>
void give_back([[maybe_unused]] const T* first, [[maybe_unused]] std::size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
#ifdef MADV_DONTNEED
  detail::advise(first, count, MADV_DONTNEED);
#endif
}

}  // namespace bridle
