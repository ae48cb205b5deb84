// A fixed array that asks the system for large pages where it is large: random access to many small pages
// costs more for the addresses than for the data.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace bridle {

// For who sets every number himself: threads then share the work of getting the pages.
struct NotSet {};
inline constexpr NotSet not_set;

template <class T>
class LargeArray {
 public:
  explicit LargeArray(std::size_t size) : LargeArray(size, not_set) {
    std::uninitialized_value_construct_n(data_.get(), size);
  }
  LargeArray(std::size_t size, NotSet) : size_(size), data_(allocate(size)) {
    std::uninitialized_default_construct_n(data_.get(), size);
  }
  T& operator[](std::size_t k) { return data_.get()[k]; }
  const T& operator[](std::size_t k) const { return data_.get()[k]; }
  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20;  // bytes

  struct Free {
    void operator()(T* data) const { ::operator delete (data, std::align_val_t{page}); }
  };

  static T* allocate(std::size_t size) {
    const std::size_t bytes = size * sizeof(T);
    void* data = ::operator new (bytes, std::align_val_t{page});
#ifdef MADV_HUGEPAGE
    if (bytes >= page) madvise(data, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(data);
  }

  static_assert(std::is_trivially_destructible_v<T>);
  std::size_t size_;
  std::unique_ptr<T, Free> data_;
};

}  // namespace bridle
