// The library's random numbers as a source of numpy.random.Generator: all that a callable draws is a function
// of its sample, so that the same sample gives the same numbers again.
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

#include "bridle/core/random.hpp"
#include "bridle/core/sampling.hpp"

namespace bridle::python {

namespace py = pybind11;

class RandomBits {
 public:
  RandomBits();
  RandomBits(const RandomBits&) = delete;
  RandomBits& operator=(const RandomBits&) = delete;

  void restart(Sample sample) {
    stream_ = Stream(sample, Purpose::noise);
    counter_ = 0;
    has_word_ = has_half_ = false;
  }
  // A numpy.random.Generator that draws from here; this object must outlive every use of it.
  const py::object& generator() const { return generator_; }

 private:
  // What numpy asks for in numpy/random/bitgen.h, which it documents for bit generators of others.
  struct Interface {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    std::uint64_t (*next_raw)(void*);
  };

  std::uint64_t word();
  std::uint32_t half();

  Stream stream_{0, Purpose::noise};
  std::uint64_t counter_ = 0, next_word_ = 0;
  std::uint32_t next_half_ = 0;
  bool has_word_ = false, has_half_ = false;
  Interface interface_;
  py::object generator_;
};

}  // namespace bridle::python
