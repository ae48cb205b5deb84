#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/report/version.hpp"

#include "command.hpp"

int main(int argc, char** argv) {
  using namespace bridle::cli;
  CLI::App app{"Stochastic nonconvex optimisation with linear constraints, certified."};
  app.set_version_flag("--version", bridle::version);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 certified to the tolerance; 1 ended without; 2 bad usage or input; 3 infeasible; 4 "
      "diverged; "
      "130 interrupted.");

  Action chosen;
  for (const auto add : {add_solve, add_certify, add_info, add_demo}) {
    const std::size_t before = app.get_subcommands(nullptr).size();
    Action action = add(app);
    app.get_subcommands(nullptr).at(before)->callback([&chosen, action] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : exit_bad_input;
  }
  try {
    return chosen();
  } catch (const bridle::InputError& error) {
    fmt::print(stderr, "bridle: error: {}\n", error.what());
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bridle: error: not enough memory for this problem\n");
    return exit_bad_input;
  }
}
