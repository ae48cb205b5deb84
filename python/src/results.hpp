// Results and certificates as plain dictionaries of numbers, texts and arrays, and options from one.
#pragma once

#include <pybind11/pybind11.h>

#include "bridle/certify/certificate.hpp"
#include "bridle/run/result.hpp"

#include "run.hpp"

namespace bridle::python {

py::dict to_dict(const Certificate& certificate);
py::dict to_dict(const Result& result, const Run& run);

// Keys that are absent keep the library's defaults. Throws InputError.
SolveOptions options_of(const py::dict& options);

// solve() without the interpreter's lock.
py::dict solve_problem(const Problem& problem, const py::dict& options, py::object callback);

}  // namespace bridle::python
