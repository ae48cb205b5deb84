// The extension module bridle._bridle: what the package's Python files are built on. Users see those.
#include <utility>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/certify/certify.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/constraints/quadratic_rows.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/objectives/weighted_model.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/report/version.hpp"

#include "callables.hpp"
#include "convert.hpp"
#include "fair.hpp"
#include "results.hpp"

namespace bridle::python {
namespace {

AnyObjective linear_model(const py::object& features, const py::object& labels, const std::string& loss,
                          const py::object& ridge, const py::object& weights, Names names) {
  const auto chosen = find_loss(loss);
  if (!chosen) {
    Names known;
    for (const auto& entry : all_losses()) known.emplace_back(entry.name);
    throw InputError("loss '" + loss + "' is unknown" + did_you_mean(loss, known));
  }
  LinearModel model(features_of(features), vector_of(labels, "linear model: y"), *chosen,
                    ridge.is_none() ? Vector() : vector_of(ridge, "linear model: ridge"), std::move(names));
  if (weights.is_none()) return model;
  return WeightedModel(std::move(model), vector_of(weights, "linear model: weights"));
}

AnyObjective quadratic(const py::object& hessian, const py::object& cost, double offset, double additive,
                       double multiplicative) {
  Vector c = vector_of(cost, "quadratic: c");
  if (c.size() < 1) throw InputError("quadratic: there are no variables; at least 1 is required");
  const SparseRows rows = rows_of(hessian, "quadratic: Q");
  for (Index k = 0; k < rows.nonZeros(); ++k)
    if (!is_finite(rows.valuePtr()[k])) throw InputError("quadratic: Q must be finite");
  if (!c.allFinite() || !is_finite(offset)) throw InputError("quadratic: c and the offset must be finite");
  return Quadratic(SparseColumns(rows), std::move(c), offset, {additive, multiplicative});
}

// What is known of a problem's callable, for the number of calls.
struct PythonObjective {
  AnyObjective objective;
  std::optional<Callable> callable = {};
};

PythonObjective callable_objective(py::object function, const std::string& kind, Index dimension,
                                   Index samples, py::object hessian) {
  if (dimension < 1) throw InputError("x0 has no entries");
  const Callable callable(std::move(function),
                          kind == "random"    ? Callable::Kind::random
                          : kind == "indices" ? Callable::Kind::indices
                                              : Callable::Kind::plain,
                          dimension);
  if (kind == "random") return {StreamObjective(callable), callable};
  FiniteObjective finite(callable, samples);
  if (hessian.is_none()) return {std::move(finite), callable};
  return {CurvedObjective(std::move(finite), std::move(hessian)), callable};
}

void add_smooth(Problem& problem, py::object value, py::object jacobian, py::object hessian, Index count,
                const py::object& lower, const py::object& upper, Names names) {
  CallableConstraint constraint(std::move(value), std::move(jacobian), problem.dimension(), count);
  const Vector low = vector_of(lower, "a constraint's lower bound");
  const Vector high = vector_of(upper, "a constraint's upper bound");
  if (hessian.is_none())
    problem.subject_to_smooth(std::move(constraint), low, high, std::move(names));
  else
    problem.subject_to_smooth(CurvedConstraint(std::move(constraint), std::move(hessian)), low, high,
                              std::move(names));
}

void add_ball(Problem& problem, const std::vector<Index>& indices, const py::object& centre, double radius,
              const std::string& name) {
  const Vector middle = vector_of(centre, "ball: centre");
  if (middle.size() != static_cast<Index>(indices.size())) throw InputError("ball: one centre per variable");
  if (!(radius > 0 && is_finite(radius)) || !middle.allFinite())
    throw InputError("ball: the radius must be positive and all must be finite");
  for (const Index j : indices)
    if (j < 0 || j >= problem.dimension())
      throw InputError("ball: index " + std::to_string(j) + "; 0 <= index < " +
                       std::to_string(problem.dimension()) + " is required");
  QuadraticRows row(problem.dimension());
  row.add_ball(indices, middle);
  problem.subject_to_smooth(std::move(row), Vector::Constant(1, -infinity),
                            Vector::Constant(1, radius * radius), {name});
}

py::dict certify_point(const Problem& problem, const py::object& x, const py::object& multipliers,
                       bool absolute, Index batch, std::uint64_t seed) {
  const Vector point = vector_of(x, "x");
  if (point.size() != problem.dimension())
    throw InputError("x has " + std::to_string(point.size()) + " entries for " +
                     std::to_string(problem.dimension()) + " variables");
  const bool known = !multipliers.is_none();
  const Vector y = known ? vector_of(multipliers, "multipliers") : Vector(Vector::Zero(problem.row_count()));
  if (y.size() != problem.row_count())
    throw InputError("there are " + std::to_string(y.size()) + " multipliers for " +
                     std::to_string(problem.row_count()) + " rows");
  Certificate out;
  {
    const py::gil_scoped_release unlocked;
    out = certify(problem, point, y,
                  {.improve_multipliers = !known, .absolute = absolute, .batch = batch, .seed = seed});
  }
  return to_dict(out);
}

void define_sets(py::module_& m) {
  py::class_<AnySet>(m, "Set")
      .def_property_readonly("dimension", &AnySet::dimension)
      .def("project", [](const AnySet& set, const py::object& x) {
        Vector point = vector_of(x, "x");
        if (point.size() != set.dimension())
          throw InputError("x has " + std::to_string(point.size()) + " entries and the set has dimension " +
                           std::to_string(set.dimension()));
        set.project(point);
        return array_of(point);
      });
  m.def("whole_space", [](Index n) { return AnySet(WholeSpace(n)); });
  m.def("box", [](const py::object& lower, const py::object& upper) {
    return AnySet(Box(vector_of(lower, "bounds: lower"), vector_of(upper, "bounds: upper")));
  });
  m.def("simplex", [](Index n, double total) { return AnySet(Simplex(n, total)); });
  m.def("l1_ball", [](Index n, double radius) { return AnySet(L1Ball(n, radius)); });
  m.def("ordered_cone", [](Index n) { return AnySet(OrderedCone(n)); });
  m.def("half_space",
        [](const py::object& a, double b) { return AnySet(HalfSpace(vector_of(a, "half-space: a"), b)); });
  m.def("hyperplane",
        [](const py::object& a, double b) { return AnySet(Hyperplane(vector_of(a, "hyperplane: a"), b)); });
  m.def("polyhedron", [](const py::object& rows, const py::object& limits) {
    return AnySet(Polyhedron(matrix_of(rows, "polyhedron: A"), vector_of(limits, "polyhedron: b")));
  });
  m.def("product", [](Index n, const std::vector<std::pair<std::vector<Index>, AnySet>>& blocks) {
    std::vector<Product::Block> parts;
    for (const auto& [indices, set] : blocks) parts.push_back({indices, set});
    return AnySet(Product(n, std::move(parts)));
  });
}

void define_objectives(py::module_& m) {
  py::class_<PythonObjective>(m, "Objective")
      .def_property_readonly("dimension", [](const PythonObjective& f) { return f.objective.dimension(); })
      .def_property_readonly("calls", [](const PythonObjective& f) -> std::optional<std::uint64_t> {
        if (!f.callable) return std::nullopt;
        return f.callable->calls();
      });
  m.def("linear_model", [](const py::object& features, const py::object& labels, const std::string& loss,
                           const py::object& ridge, const py::object& weights, Names names) {
    return PythonObjective{linear_model(features, labels, loss, ridge, weights, std::move(names))};
  });
  m.def("quadratic", [](const py::object& q, const py::object& c, double offset, double add,
                        double multiply) { return PythonObjective{quadratic(q, c, offset, add, multiply)}; });
  m.def("callable_objective", &callable_objective);
}

void define_problem(py::module_& m) {
  py::class_<Problem>(m, "Problem")
      .def(py::init([](const PythonObjective& f) { return Problem(f.objective); }))
      .def("copy", [](const Problem& p) { return p; })
      .def("within", [](Problem& p, const AnySet& set) { p.within(set); })
      .def("subject_to",
           [](Problem& p, const py::object& matrix, const py::object& lower, const py::object& upper,
              Names names) {
             p.subject_to(rows_of(matrix, "constraints: A"), vector_of(lower, "constraints: lower"),
                          vector_of(upper, "constraints: upper"), std::move(names));
           })
      .def("subject_to_smooth", &add_smooth)
      .def("subject_to_ball", &add_ball)
      .def("name_variables", [](Problem& p, Names names) { p.name_variables(std::move(names)); })
      .def("start_from", [](Problem& p, const py::object& x) { p.start_from(vector_of(x, "x0")); })
      .def("starting_point", [](const Problem& p) { return array_of(p.starting_point()); })
      .def_property_readonly("dimension", &Problem::dimension)
      .def_property_readonly("samples", [](const Problem& p) { return p.objective().sample_count(); })
      .def_property_readonly("variable_names", &Problem::variable_names)
      .def_property_readonly("row_names", &Problem::row_names);
  m.def("read", [](const std::string& path) {
    py::gil_scoped_release unlocked;
    StatedProblem stated = read_problem(path);
    return std::make_tuple(std::move(stated.problem), std::move(stated.description), std::move(stated.notes));
  });
  m.def("solve", &solve_problem);
  m.def("certify", &certify_point);
  m.def("fit_fair", &fit_fair);
}

}  // namespace
}  // namespace bridle::python

PYBIND11_MODULE(_bridle, m) {
  using namespace bridle;
  namespace py = pybind11;
  m.doc() = "What the package bridle is built on; not for direct use.";
  m.attr("version") = version;
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(std::move(p));
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  python::define_sets(m);
  python::define_objectives(m);
  python::define_problem(m);
  m.def("losses", [] {
    py::list out;
    for (const auto& entry : all_losses())
      out.append(py::make_tuple(entry.name, entry.meaning, entry.classification));
    return out;
  });
  m.def("algorithms", [] {
    py::list out;
    for (const auto& entry : all_algorithms()) out.append(py::make_tuple(entry.name, entry.meaning));
    return out;
  });
  m.def("use_threads", [](unsigned count) { use_threads(count); });
}
