#include "bridle/certify/certify.hpp"

#include <memory>

#include <fmt/format.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/report/json.hpp"
#include "bridle/report/output_file.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct Arguments {
  std::string problem, solution, json;
  double tolerance = 1e-4;
  bool absolute = false, improve = false;
};

void print(const Certificate& c, double tolerance, bool absolute) {
  const auto line = [](const char* name, double value, double scale) {
    fmt::print("  {:<16} {:>12.4e}  relative {:>12.4e}\n", name, value, value / scale);
  };
  fmt::print("objective {:.10g}\n", c.objective);
  line("feasibility", c.feasibility, c.feasibility_scale);
  if (c.max_violation > 0)
    fmt::print("    largest violation {:.4e} in row {}\n", c.max_violation, c.worst_row);
  line("distance to X", c.set_distance, c.point_scale);
  line("stationarity", c.stationarity, c.stationarity_scale);
  if (!c.exact) fmt::print("    +- {:.2e} (95%), from {} samples\n", c.stationarity_halfwidth, c.gradients);
  line("complementarity", c.complementarity, c.feasibility_scale);
  if (c.multipliers_improved) fmt::print("  multipliers were replaced by bounded least squares\n");
  fmt::print("{}: error {:.3e}, {} tolerance {:.1e}\n",
             c.holds(tolerance, absolute) ? "stationary" : "refused", c.error(absolute),
             absolute ? "absolute" : "relative", tolerance);
}

int run(const Arguments& a) {
  const StatedProblem stated = read_problem(a.problem);
  const Solution solution = read_solution(a.solution, stated.problem);
  std::unique_ptr<OutputFile> json;
  if (!a.json.empty() && a.json != "-") json = std::make_unique<OutputFile>(a.json);
  const Certificate certificate =
      certify(stated.problem, solution.x, solution.y, {.improve_multipliers = a.improve});
  if (a.json != "-") print(certificate, a.tolerance, a.absolute);
  Json report = to_json(certificate, a.absolute);
  report["certified"] = certificate.holds(a.tolerance, a.absolute);
  if (json)
    json->commit(report.dump(2) + "\n");
  else if (a.json == "-")
    fmt::print("{}\n", report.dump(2));
  return certificate.holds(a.tolerance, a.absolute) ? exit_certified : exit_not_certified;
}

}  // namespace

Action add_certify(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("certify", "Judge a solution, whoever found it");
  command->add_option("PROBLEM", a->problem, "Problem file")->required();
  command->add_option("SOLUTION", a->solution, "JSON with x and y, by name or as lists; y may be left out")
      ->required();
  command->add_option("--tolerance", a->tolerance, "The error to stay below")->capture_default_str();
  command->add_flag("--absolute", a->absolute, "Compare absolute figures with the tolerance");
  command->add_flag("--improve", a->improve, "Improve the multipliers by bounded least squares first");
  command->add_option("--json", a->json, "Write the certificate as JSON ('-': standard output)");
  return [a] { return run(*a); };
}

}  // namespace bridle::cli
