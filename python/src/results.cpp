#include "results.hpp"

#include <pybind11/stl.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/apps/statement/parameter_file.hpp"
#include "bridle/certify/certificate_text.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/run/solve.hpp"

#include "convert.hpp"

namespace bridle::python {
namespace {

py::dict figure_of(const Figure& figure) {
  py::dict out;
  out["absolute"] = figure.absolute;
  out["relative"] = figure.relative;
  out["where"] = figure.where;
  return out;
}

py::dict parameters_of(const Result& result) {
  const Parameters& p = result.parameters;
  py::dict out;
  out["tau"] = p.tau;
  out["eta"] = p.eta;
  out["beta"] = p.beta;
  out["mu"] = p.mu;
  out["rho"] = p.rho;
  out["alpha"] = p.alpha;
  return out;
}

py::list reasons_of(const Result& result) {
  py::list out;
  for (const Reason& reason : result.reasons)
    out.append(py::make_tuple(reason.symbol, reason.value, reason.why));
  return out;
}

template <class Member>
py::array_t<double> column(const std::vector<Progress>& history, Member Progress::*member) {
  Vector out(static_cast<Index>(history.size()));
  for (std::size_t k = 0; k < history.size(); ++k)
    out[static_cast<Index>(k)] = static_cast<double>(history[k].*member);
  return array_of(out);
}

py::dict history_of(const std::vector<Progress>& looks) {
  py::dict out;
  out["nit"] = column(looks, &Progress::iterations);
  out["samples"] = column(looks, &Progress::samples);
  out["fun"] = column(looks, &Progress::objective);
  out["feasibility"] = column(looks, &Progress::feasibility);
  out["stationarity"] = column(looks, &Progress::stationarity);
  out["step"] = column(looks, &Progress::step);
  out["seconds"] = column(looks, &Progress::seconds);
  return out;
}

template <class Value>
void take(const py::dict& from, const char* key, Value& into) {
  if (from.contains(key)) into = from[key].template cast<Value>();
}

void choose_parameters(const std::string& text, SolveOptions& options) {
  if (text == "auto") return;
  if (text == "theory") {
    options.source = ParameterSource::theory;
    return;
  }
  options.source = ParameterSource::given;
  options.given = read_parameters(text);
}

void take_constants(const py::dict& given, KnownConstants& known) {
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    std::optional<double>* const constant = known.find(name);
    if (!constant) throw InputError("constants: '" + name + "' is none of L_f, L_0, A, sbar, rho");
    *constant = value.cast<double>();
  }
}

void check_positive(const char* name, double value) {
  if (!(value >= 0 && is_finite(value)))
    throw InputError(std::string(name) + " = " + std::to_string(value) +
                     "; a finite number >= 0 is required");
}

py::dict theory_output_of(const TheoryOutput& t) {
  py::dict out;
  out["time"] = t.time;
  out["iterations"] = t.iterations;
  out["x"] = array_of(t.x);
  out["multipliers"] = array_of(t.y);
  out["z"] = array_of(t.z);
  out["x_error"] = t.x_error;
  out["z_error"] = t.z_error;
  out["batch"] = t.batch;
  out["post_processed"] = array_of(t.post_processed);
  out["post_multipliers"] = array_of(t.post_multipliers);
  out["post_processed_error"] = t.post_processed_error;
  return out;
}

py::dict phases_of(const PhaseTable& table) {
  py::dict out;
  for (const Phase phase : all_phases) {
    const PhaseSpending& row = table[phase];
    py::dict one;
    one["sample_gradients"] = row.sample_gradients;
    one["full_gradients"] = row.full_gradients;
    one["hessians"] = row.hessians;
    one["hessian_products"] = row.hessian_products;
    one["projections"] = row.projections;
    one["seconds"] = row.seconds;
    out[py::str(std::string(to_string(phase)))] = one;
  }
  return out;
}

}  // namespace

py::dict to_dict(const Certificate& c) {
  py::dict out;
  out["error"] = c.error();
  out["absolute"] = c.absolute;
  out["objective"] = c.objective;
  out["objective_halfwidth"] = c.objective_halfwidth;
  out["sound"] = c.sound;
  out["feasibility"] = figure_of(c.feasibility);
  out["set_distance"] = figure_of(c.set_distance);
  out["stationarity"] = figure_of(c.stationarity);
  out["complementarity"] = figure_of(c.complementarity);
  out["convex"] = c.convex;
  out["gap"] = figure_of(c.gap);
  out["feasibility_halfwidth"] = figure_of(c.feasibility_halfwidth);
  out["stationarity_halfwidth"] = figure_of(c.stationarity_halfwidth);
  out["multipliers"] = array_of(c.multipliers);
  out["multipliers_improved"] = c.multipliers_improved;
  out["exact"] = c.exact;
  out["gradients"] = c.gradients;
  out["text"] = certificate_text(c);
  return out;
}

py::dict to_dict(const Result& r, const Run& run) {
  py::dict out;
  out["status"] = std::string(to_string(r.status));
  out["x"] = array_of(r.x);
  out["multipliers"] = array_of(r.y);
  out["certificate"] = to_dict(r.certificate);
  out["fun"] = r.objective();
  out["brief"] = r.brief_report();
  out["report"] = r.full_report();
  out["conflict"] = r.infeasibility ? r.infeasibility->conflict : Names{};
  out["endless_fall"] = r.unboundedness ? r.unboundedness->variables : Names{};
  out["proof"] = r.infeasibility ? r.conflict() : r.unboundedness ? r.endless_fall() : std::string();
  out["algorithm"] = r.algorithm;
  out["regime"] = run.info().regime;
  out["budget"] = run.info().budget;
  out["parameter_source"] = r.parameter_source;
  out["parameters"] = parameters_of(r);
  out["reasons"] = reasons_of(r);
  out["parameters_text"] = parameters_text(r.choice, r.reasons);
  out["events"] = r.events;
  out["found_by"] = std::string(to_string(r.found_by));
  out["phases"] = phases_of(r.phases);
  out["theory_output"] = r.theory_output ? py::object(theory_output_of(*r.theory_output)) : py::none();
  out["nit"] = r.iterations;
  out["samples"] = r.samples;
  out["certificate_samples"] = r.certificate_samples;
  out["solve_seconds"] = r.solve_seconds;
  out["certify_seconds"] = r.certify_seconds;
  out["tolerance"] = r.tolerance;
  out["seed"] = r.seed;
  out["variable_names"] = r.variable_names;
  out["row_names"] = r.row_names;
  out["history"] = history_of(run.history());
  out["by_user"] = run.by_user();
  return out;
}

SolveOptions options_of(const py::dict& given) {
  SolveOptions out;
  take(given, "samples", out.samples);
  take(given, "epochs", out.epochs);
  take(given, "seconds", out.seconds);
  check_positive("samples", out.samples);
  check_positive("epochs", out.epochs);
  check_positive("seconds", out.seconds);
  take(given, "tolerance", out.tolerance);
  if (given.contains("tolerance")) check_positive("tolerance", out.tolerance);
  take(given, "grow", out.grow);
  take(given, "absolute", out.absolute);
  take(given, "seed", out.seed);
  take(given, "algorithm", out.algorithm);
  if (!find_algorithm(out.algorithm)) {
    Names known;
    for (const auto& entry : all_algorithms()) known.emplace_back(entry.name);
    throw InputError("algorithm '" + out.algorithm + "' is unknown" + did_you_mean(out.algorithm, known));
  }
  if (given.contains("parameters")) choose_parameters(given["parameters"].cast<std::string>(), out);
  if (given.contains("curvature")) out.curvature = given["curvature"].cast<double>();
  take(given, "batch", out.batch);
  if (given.contains("batch") && out.batch < 1)
    throw InputError("batch = " + std::to_string(out.batch) + "; at least 1 is required");
  take(given, "workers", out.workers);
  if (given.contains("multipliers")) out.start_multipliers = vector_of(given["multipliers"], "multipliers");
  if (given.contains("sampling")) {
    const auto how = given["sampling"].cast<std::string>();
    if (how != "reshuffled" && how != "independent")
      throw InputError("sampling '" + how + "' is unknown; reshuffled or independent is required");
    out.sampling = how == "independent" ? Sampling::independent : Sampling::reshuffled;
  }
  if (given.contains("output")) {
    const auto which = given["output"].cast<std::string>();
    if (which != "best" && which != "last" && which != "random")
      throw InputError("output '" + which + "' is unknown; best, last or random is required");
    out.output = which == "best" ? Output::best : which == "last" ? Output::last : Output::random;
  }
  take(given, "finish", out.finish);
  take(given, "second_order", out.second_order);
  take(given, "dual_bound", out.dual_bound);
  if (given.contains("constants")) take_constants(given["constants"].cast<py::dict>(), out.known);
  if (out.source == ParameterSource::theory) out = to_the_letter(out);
  take(given, "checkpoint", out.checkpoint);
  take(given, "checkpoint_seconds", out.checkpoint_seconds);
  take(given, "resume", out.resume);
  if (out.resume && out.checkpoint.empty()) throw InputError("resume needs a checkpoint");
  return out;
}

py::dict solve_problem(const Problem& problem, const py::dict& options, py::object callback) {
  const SolveOptions chosen = options_of(options);
  bool history = true;
  take(options, "history", history);
  Run run(std::move(callback), history);
  Result result;
  {
    const py::gil_scoped_release unlocked;
    result = solve(problem, chosen, &run);
  }
  return to_dict(result, run);
}

}  // namespace bridle::python
