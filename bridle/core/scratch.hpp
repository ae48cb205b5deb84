// Working memory for what runs in the solver's hot loop and has none of its own: after a first call nothing
// is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "bridle/core/types.hpp"

namespace bridle::detail {

// A buffer on loan from this thread, with arbitrary contents. Loans nest (a product projects onto a product),
// so each nesting depth has its own buffer; buffers only grow. Loans end in the reverse order of their
// beginning.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index size)
      : data_(borrow(static_cast<std::size_t>(size)), static_cast<std::size_t>(size)) {}
  ~Scratch() { --lender().depth; }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T& operator[](Index i) { return data_[static_cast<std::size_t>(i)]; }
  const T& operator[](Index i) const { return data_[static_cast<std::size_t>(i)]; }
  std::span<T> first(Index count) { return data_.first(static_cast<std::size_t>(count)); }
  Eigen::Map<Vector> vector() { return {data_.data(), static_cast<Index>(data_.size())}; }
  Eigen::Map<Matrix> matrix(Index rows, Index columns) { return {data_.data(), rows, columns}; }

 private:
  struct Lender {
    std::deque<std::vector<T>> buffers;  // a deque: growth must not move the buffers out on loan
    std::size_t depth = 0;
  };

  static Lender& lender() {
    thread_local Lender lender;
    return lender;
  }

  static T* borrow(std::size_t size) {
    Lender& from = lender();
    if (from.depth == from.buffers.size()) from.buffers.emplace_back();
    std::vector<T>& buffer = from.buffers[from.depth];
    if (buffer.size() < size) buffer.resize(size);
    ++from.depth;
    return buffer.data();
  }

  std::span<T> data_;
};

}  // namespace bridle::detail
