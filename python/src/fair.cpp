#include "fair.hpp"

#include <pybind11/stl.h>

#include "bridle/apps/fair/fit.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"

#include "convert.hpp"
#include "results.hpp"

namespace bridle::python {
namespace {

Attribute attribute_of(const py::handle& item, Index samples) {
  const auto tuple = item.cast<py::tuple>();
  Attribute out;
  out.name = tuple[0].cast<std::string>();
  out.groups = tuple[1].cast<Names>();
  out.codes = tuple[2].cast<std::vector<std::int32_t>>();
  out.trained_groups = out.groups.size();
  if (static_cast<Index>(out.codes.size()) != samples)
    throw InputError("sensitive feature '" + out.name + "' has " + std::to_string(out.codes.size()) +
                     " entries for " + std::to_string(samples) + " samples");
  for (const auto code : out.codes)
    if (code < 0 || code >= static_cast<std::int32_t>(out.groups.size()))
      throw InputError("sensitive feature '" + out.name + "': a group that is not there");
  return out;
}

TrainingData training_of(const py::dict& request) {
  FairData data{"the data", 0,   0, 0, features_of(request["features"]), vector_of(request["labels"], "y"),
                {},         {{}}};
  for (const auto& item : request["attributes"].cast<py::list>())
    data.attributes.push_back(attribute_of(item, data.samples()));
  if (request.contains("weights")) data.weights = vector_of(request["weights"], "sample_weight");
  Encoding encoding;
  encoding.names = request["names"].cast<Names>();
  if (encoding.width() != data.features.columns())
    throw InputError("there are " + std::to_string(encoding.width()) + " names for " +
                     std::to_string(data.features.columns()) + " columns");
  return {std::move(data), std::move(encoding), {}, {}, {}};
}

Loss loss_of(const std::string& name) {
  if (const auto loss = find_loss(name)) return *loss;
  Names known;
  for (const auto& entry : all_losses()) known.emplace_back(entry.name);
  throw InputError("loss '" + name + "' is unknown" + did_you_mean(name, known));
}

RateStatement rates_of(const py::dict& request) {
  const auto name = request["measure"].cast<std::string>();
  const auto measure = find_measure(name);
  if (!measure)
    throw InputError("constraint '" + name + "' is unknown" + did_you_mean(name, measure_names()));
  RateStatement out;
  out.measure = *measure;
  if (request.contains("gap")) out.gap = request["gap"].cast<double>();
  if (request.contains("ratio")) out.ratio = request["ratio"].cast<double>();
  if (request.contains("confidence")) out.confidence = request["confidence"].cast<double>();
  if (!(out.gap >= 0 && out.gap <= 1))
    throw InputError("gap = " + std::to_string(out.gap) + "; a number in [0, 1] is required");
  return out;
}

py::list to_list(const std::vector<RowFigures>& rows) {
  py::list out;
  for (const auto& row : rows) {
    py::dict one;
    one["row"] = row.row;
    one["attribute"] = row.attribute;
    one["group"] = row.group;
    one["bound"] = row.bound;
    one["covariance"] = row.train;
    one["price"] = row.price();
    out.append(one);
  }
  return out;
}

py::dict rates_dict(const RateFigures& figures) {
  py::dict out;
  py::list cells;
  for (const auto& cell : figures.train.cells) {
    py::dict one;
    one["attribute"] = cell.attribute;
    one["group"] = cell.group;
    one["label"] = cell.label;
    one["people"] = cell.people;
    one["selected"] = cell.selected;
    one["rate"] = cell.rate();
    cells.append(one);
  }
  out["request"] = figures.request.text();
  out["reached"] = figures.reached;
  out["gap"] = figures.train.gap;
  out["ratio"] = figures.train.ratio;
  out["cells"] = cells;
  out["price"] = figures.price;
  out["left_out"] = figures.left_out;
  return out;
}

}  // namespace

py::dict fit_fair(const py::dict& request, const py::dict& options, py::object callback) {
  const SolveOptions chosen = options_of(options);
  DataStatement data;
  TrainingData training = training_of(request);
  for (const auto& attribute : training.data.attributes) data.sensitive.push_back(attribute.name);
  FairStatement statement;
  statement.loss = loss_of(request["loss"].cast<std::string>());
  statement.ridge = request["ridge"].cast<double>();
  const bool by_rates = request.contains("measure");
  const auto rates = by_rates ? rates_of(request) : RateStatement{};
  const std::string bounds = by_rates ? "" : request["bounds"].cast<std::string>();
  Run run(std::move(callback));
  Fit out;
  {
    const py::gil_scoped_release unlocked;
    const FairProblem problem(std::move(training), data, statement);
    if (by_rates) {
      out = fit_to_rates(problem, nullptr, rates, chosen, &run);
    } else {
      const BoundList list(bounds, data.sensitive);
      Vector free = Vector::Zero(static_cast<Index>(problem.rows().size()));
      if (list.relative()) free = problem.covariances(fit(problem, nullptr, {}, chosen, &run).result.x);
      out = fit(problem, nullptr, problem.resolve(list, free), chosen, &run);
    }
  }
  py::dict dict = to_dict(out.result, run);
  dict["covariances"] = to_list(out.rows);
  dict["rates"] = out.rates ? py::object(rates_dict(*out.rates)) : py::none();
  dict["warnings"] = out.warnings;
  return dict;
}

}  // namespace bridle::python
