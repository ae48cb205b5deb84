#include "bridle/certify/certify.hpp"

#include <memory>

#include <fmt/format.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/certify/certificate_text.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/json.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct CertifyArguments {
  std::string problem, solution, json;
  double tolerance = 1e-4;
  bool absolute = false, improve = false;
};

void print(const Certificate& c, double tolerance) {
  fmt::print("{}: error {:.2e} ({} tolerance {:.1e})\n\n{}", c.holds(tolerance) ? "stationary" : "refused",
             c.error(), c.absolute ? "absolute" : "relative", tolerance, certificate_text(c));
}

int run(const CertifyArguments& a) {
  const StatedProblem stated = read_problem(a.problem);
  const Solution solution = read_solution(a.solution, stated.problem);
  Destination json(a.json);
  const Certificate certificate =
      certify(stated.problem, solution.x, solution.y,
              {.improve_multipliers = a.improve || !solution.has_multipliers, .absolute = a.absolute});
  if (a.json != "-") {
    if (!solution.has_multipliers && stated.problem.row_count() > 0)
      fmt::print("the solution has no y: multipliers are fitted\n");
    print(certificate, a.tolerance);
  }
  Json report = to_json(certificate);
  report["certified"] = certificate.holds(a.tolerance);
  json.write(to_text(report));
  return certificate.holds(a.tolerance) ? exit_certified : exit_not_certified;
}

}  // namespace

Action add_certify(CLI::App& app) {
  auto a = std::make_shared<CertifyArguments>();
  auto* command = app.add_subcommand("certify", "Judge a solution, whoever found it");
  command->add_option("PROBLEM", a->problem, "Problem file (.toml), or an .lp, .mps or .qps file")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("SOLUTION", a->solution,
                   "JSON with x and y, by name or as lists; without y multipliers are fitted")
      ->type_name("FILE")
      ->required();
  command->add_option("--tolerance", a->tolerance, "The error to stay below")
      ->check(at_least_zero())
      ->type_name("EPS")
      ->capture_default_str();
  command->add_flag("--absolute", a->absolute, "Compare absolute figures with the tolerance");
  command->add_flag("--improve", a->improve, "Improve the multipliers by bounded least squares first");
  command->add_option("--json", a->json, "Write the certificate as JSON ('-': standard output)")
      ->type_name("FILE");
  return [a] { return run(*a); };
}

}  // namespace bridle::cli
