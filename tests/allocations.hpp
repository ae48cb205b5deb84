// Counts allocations of the whole program, Eigen's and the library's too. Include it in one file of a test
// program. Sanitizers bring their own malloc; there the count is not to be had.
#pragma once

#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define BRIDLE_COUNTS_MALLOC 1
static long allocations = 0;
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_realloc(void*, std::size_t);
void* malloc(std::size_t size) noexcept { return ++allocations, __libc_malloc(size); }
void* realloc(void* old, std::size_t size) noexcept { return ++allocations, __libc_realloc(old, size); }
}
#endif
