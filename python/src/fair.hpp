// Fair classifiers of bridle/apps/fair on arrays.
#pragma once

#include <pybind11/pybind11.h>

namespace bridle::python {

namespace py = pybind11;

// What `bridle fair` does with data that is in memory and encoded already. `request` has the keys
//   features   an array or compressed rows; the last column is the intercept if its name is "intercept"
//   labels, names, loss, ridge, weights (or absent)
//   attributes a list of (name, groups, codes)
//   bounds     of covariances, as the command writes them: "0.001", "sex=0.001,race=5%"; or
//   measure, gap or ratio, confidence: of rates of decisions
// Returns the result's dictionary with "covariances" or "rates" beside it.
py::dict fit_fair(const py::dict& request, const py::dict& options, py::object callback);

}  // namespace bridle::python
