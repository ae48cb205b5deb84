#include "bridle/report/json.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/report/json_file.hpp"

namespace bridle {

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }
Json number(const std::optional<double>& v) { return v ? number(*v) : Json(nullptr); }

// Appends: out[name] would look through all names before it.
Json by_name(const Names& names, const Vector& values) {
  Json out = Json::object();
  std::vector<Json::object_t::value_type>& entries = out.get_ref<Json::object_t&>();
  entries.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k)
    entries.emplace_back(names[k], number(values[static_cast<Index>(k)]));
  return out;
}

namespace {

using Parsed = nlohmann::json;

Vector read_vector(const Parsed& node, const Names& names, const std::string& path, const std::string& what) {
  Vector out(static_cast<Index>(names.size()));
  const auto read_number = [&](const Parsed& value, const std::string& name) {
    if (!value.is_number()) throw InputError(path, 0, what + " of '" + name + "' is not a number");
    return value.get<double>();
  };
  if (node.is_array()) {
    if (node.size() != names.size())
      throw InputError(path, 0,
                       what + " has " + std::to_string(node.size()) + " entries but the problem has " +
                           std::to_string(names.size()));
    for (std::size_t k = 0; k < names.size(); ++k)
      out[static_cast<Index>(k)] = read_number(node[k], names[k]);
    return out;
  }
  if (!node.is_object()) throw InputError(path, 0, what + " must be an object by name or a list");
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto found = node.find(names[k]);
    if (found == node.end()) throw InputError(path, 0, what + " lacks '" + names[k] + "'");
    out[static_cast<Index>(k)] = read_number(*found, names[k]);
  }
  if (node.size() == names.size()) return out;
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const auto& [name, value] : node.items())
    if (!known.contains(name))
      throw InputError(path, 0,
                       what + " has '" + name + "', which the problem has not" + did_you_mean(name, names));
  return out;
}

}  // namespace

static Json to_json(const SecondOrderFigures& s) {
  Json out = Json::object();
  out["ended"] = s.ended;
  out["iterations"] = s.iterations;
  out["full_gradients"] = s.full_gradients;
  out["hessians"] = s.hessians;
  out["hessian_products"] = s.hessian_products;
  out["projections"] = s.projections;
  out["saddles_left"] = s.saddles_left;
  out["least_curvature"] = number(s.least_curvature);
  out["seconds"] = number(s.seconds);
  return out;
}

Json to_json(const Certificate& c) {
  Json out = Json::object();
  out["objective"] = number(c.objective);
  if (c.objective_halfwidth > 0) out["objective_halfwidth"] = c.objective_halfwidth;
  out["error"] = number(c.error());
  out["feasibility"] = number(c.feasibility.absolute);
  if (c.feasibility_halfwidth.absolute > 0)
    out["feasibility_halfwidth"] = number(c.feasibility_halfwidth.absolute);
  out["max_violation"] = number(c.feasibility.absolute);
  out["worst_row"] = c.feasibility.where;
  out["set_distance"] = number(c.set_distance.absolute);
  out["stationarity"] = number(c.stationarity.absolute);
  out["worst_variable"] = c.stationarity.where;
  if (!c.exact) out["stationarity_halfwidth"] = number(c.stationarity_halfwidth.absolute);
  out["complementarity"] = number(c.complementarity.absolute);
  out["convex"] = c.convex;
  if (c.convex) out["gap"] = number(c.gap.absolute);
  out["relative"] = {{"feasibility", number(c.feasibility.relative + c.feasibility_halfwidth.relative)},
                     {"set_distance", number(c.set_distance.relative)},
                     {"stationarity", number(c.stationarity.relative + c.stationarity_halfwidth.relative)},
                     {"stationarity_over_multipliers", number(c.stationarity_over_multipliers)},
                     {"complementarity", number(c.complementarity.relative)}};
  if (c.convex) out["relative"]["gap"] = number(c.gap.relative);
  out["multipliers_improved"] = c.multipliers_improved;
  out["exact_gradient"] = c.exact;
  return out;
}

Json to_json(const Parameters& p, const Reasons& reasons) {
  Json why = Json::object(), values = Json::object();
  for (const auto& reason : reasons) {
    why[reason.symbol] = reason.why;
    values[reason.symbol] = number(reason.value);
  }
  return {{"tau", p.tau}, {"eta", p.eta},     {"beta", p.beta},   {"mu", p.mu},
          {"rho", p.rho}, {"alpha", p.alpha}, {"values", values}, {"reasons", why}};
}

static Json to_json(const TheoryOutput& t, const Result& r) {
  Json out = {{"time", t.time},
              {"iterations", t.iterations},
              {"x", by_name(r.variable_names, t.x)},
              {"y", by_name(r.row_names, t.y)},
              {"z", by_name(r.variable_names, t.z)},
              {"x_error", number(t.x_error)},
              {"z_error", number(t.z_error)}};
  if (t.batch > 0)
    out["post_processing"] = {{"batch", t.batch},
                              {"x", by_name(r.variable_names, t.post_processed)},
                              {"y", by_name(r.row_names, t.post_multipliers)},
                              {"error", number(t.post_processed_error)}};
  return out;
}

Json to_json(const PhaseTable& phases) {
  Json out = Json::object();
  for (const Phase phase : all_phases) {
    const PhaseSpending& row = phases[phase];
    out[std::string(to_string(phase))] = {{"sample_gradients", row.sample_gradients},
                                          {"full_gradients", row.full_gradients},
                                          {"hessians", row.hessians},
                                          {"hessian_products", row.hessian_products},
                                          {"projections", row.projections},
                                          {"seconds", number(row.seconds)}};
  }
  return out;
}

Json to_json(const Result& r, double load_seconds) {
  Json out = Json::object();
  out["status"] = to_string(r.status);
  out.update(to_json(r.certificate));
  if (r.infeasibility) {
    const auto rows = static_cast<Index>(r.row_names.size());
    out["infeasibility"] = {{"conflict", r.infeasibility->conflict},
                            {"margin", number(r.infeasibility->margin)},
                            {"reach", number(r.infeasibility->reach)},
                            {"ray", by_name(r.row_names, r.infeasibility->ray.head(rows))},
                            {"set_ray", Json::array()}};
    for (Index i = rows; i < r.infeasibility->ray.size(); ++i)
      out["infeasibility"]["set_ray"].push_back(number(r.infeasibility->ray[i]));
  }
  if (r.unboundedness)
    out["unbounded"] = {{"from", by_name(r.variable_names, r.unboundedness->from)},
                        {"direction", by_name(r.variable_names, r.unboundedness->direction)},
                        {"slope", number(r.unboundedness->slope)}};
  out["tolerance"] = r.tolerance;
  out["tolerance_is"] = r.absolute ? "absolute" : "relative";
  if (!r.advice.empty()) out["advice"] = r.advice;
  out["iterations"] = r.iterations;
  out["samples"] = r.samples;
  if (r.dual_resets > 0) out["dual_resets"] = r.dual_resets;
  out["certificate_samples"] = r.certificate_samples;
  out["seconds"] = load_seconds + r.solve_seconds + r.certify_seconds;
  out["load_seconds"] = load_seconds;
  out["solve_seconds"] = r.solve_seconds;
  out["certify_seconds"] = r.certify_seconds;
  out["step_nanoseconds"] = r.step_nanoseconds();
  out["found_by"] = to_string(r.found_by);
  out["phases"] = to_json(r.phases);
  if (r.second_order.ran) out["second_order"] = to_json(r.second_order);
  if (r.theory_output) out["theory_output"] = to_json(*r.theory_output, r);
  out["algorithm"] = r.algorithm;
  out["parameters"] = {{"source", r.parameter_source}};
  out["parameters"].update(to_json(r.parameters, r.reasons));
  out["events"] = r.events;
  out["seed"] = r.seed;
  out["x"] = by_name(r.variable_names, r.x);
  out["y"] = by_name(r.row_names, r.y);
  return out;
}

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Solution read_solution(const std::string& path, const Problem& problem) {
  const Parsed root = read_json(path);
  if (!root.is_object()) throw InputError(path, 0, "is not a JSON object");
  if (!root.contains("x")) throw InputError(path, 0, "has no 'x'");
  Solution out;
  out.x = read_vector(root["x"], problem.variable_names(), path, "x");
  out.has_multipliers = root.contains("y");
  out.y = out.has_multipliers ? read_vector(root["y"], problem.row_names(), path, "y")
                              : Vector(Vector::Zero(problem.row_count()));
  return out;
}

}  // namespace bridle
