// Between numpy's arrays and the library's types. Everything here is called with the interpreter's lock held.
#pragma once

#include <memory>
#include <string>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "bridle/core/types.hpp"
#include "bridle/problem/objectives/features.hpp"

namespace bridle::python {

namespace py = pybind11;

// Whatever numpy turns into doubles, row after row.
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Keeps a Python object until the last copy is gone, whichever thread that is in.
std::shared_ptr<const void> keep(py::object object);

// Doubles in the memory of the array itself where that is possible. Throws InputError for texts, complex
// numbers, times and whatever else is no real number.
Array real_numbers(const py::handle& object, const std::string& what);
// A copy of a one-dimensional array. Throws InputError; `what` stands in front of its message.
Vector vector_of(const py::handle& array, const std::string& what);
py::array_t<double> array_of(const Vector& vector);

// Compressed rows as a tuple (data, indices, indptr, rows, columns), int32 indices: a copy.
SparseRows sparse_rows_of(const py::tuple& csr, const std::string& what);
// The same, or a two-dimensional array.
SparseRows rows_of(const py::handle& matrix, const std::string& what);
Matrix matrix_of(const py::handle& matrix, const std::string& what);

// A view, not a copy, of a C-contiguous array of doubles or floats, or of compressed rows as above. Throws
// InputError for what is not finite.
Features features_of(const py::handle& data);

}  // namespace bridle::python
