#include "random_bits.hpp"

namespace bridle::python {

RandomBits::RandomBits()
    : interface_{this, [](void* self) { return static_cast<RandomBits*>(self)->word(); },
                 [](void* self) { return static_cast<RandomBits*>(self)->half(); },
                 [](void* self) {
                   return static_cast<double>(static_cast<RandomBits*>(self)->word() >> 11) * 0x1.0p-53;
                 },
                 [](void* self) { return static_cast<RandomBits*>(self)->word(); }} {
  py::object source = py::module_::import("types").attr("SimpleNamespace")();
  source.attr("capsule") = py::capsule(&interface_, "BitGenerator");
  source.attr("lock") = py::module_::import("threading").attr("Lock")();
  generator_ = py::module_::import("numpy.random").attr("Generator")(source);
}

std::uint64_t RandomBits::word() {
  if (has_word_) {
    has_word_ = false;
    return next_word_;
  }
  const auto [first, second] = stream_.bits(counter_++);
  next_word_ = second;
  has_word_ = true;
  return first;
}

std::uint32_t RandomBits::half() {
  if (has_half_) {
    has_half_ = false;
    return next_half_;
  }
  const std::uint64_t both = word();
  next_half_ = static_cast<std::uint32_t>(both >> 32);
  has_half_ = true;
  return static_cast<std::uint32_t>(both);
}

}  // namespace bridle::python
