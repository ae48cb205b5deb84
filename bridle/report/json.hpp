// Results as JSON, and solutions read back for the judge.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "bridle/problem/problem.hpp"
#include "bridle/run/result.hpp"

namespace bridle {

// A value that is to be an object or an array begins as Json::object() or Json::array(): where memory ends
// while the library (3.11.2) makes one of a null, destroying it crashes (`./scripts/bench faults`).
using Json = nlohmann::ordered_json;

// JSON has no infinities and no NaN: those become null, and so does what is not there.
Json number(double v);
Json number(const std::optional<double>& v);

// Values by name: a name per value, none twice.
Json by_name(const Names& names, const Vector& values);

Json to_json(const Certificate& certificate);
Json to_json(const Parameters& parameters, const Reasons& reasons);
Json to_json(const PhaseTable& phases);
Json to_json(const Result& result, double load_seconds);

// Indented, with a line end; bytes that are no UTF-8 (in names from a file) are replaced.
std::string to_text(const Json& json);

struct Solution {
  Vector x, y;
  bool has_multipliers = true;  // false: y was absent, and is zero here
};
// x and y by name, or as lists in the problem's order. Throws InputError.
Solution read_solution(const std::string& path, const Problem& problem);

}  // namespace bridle
