#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bridle/core/atomic_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/freed_memory.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/mpi/session.hpp"
#include "bridle/report/lost_output.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/report/version.hpp"

#include "command.hpp"
#include "ranks.hpp"
#include "same_names.hpp"

namespace bridle::cli {
namespace {

// One line, whatever a file has for names; under mpirun all ranks meet the same error and one tells.
int fail(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  if (launched_rank() > 0) return 0;
  fmt::print(stderr, "bridle: error: {}\n", message);
  return exit_bad_input;
}

// Names that other programs have for our options; empty: none that we know.
std::string our_name_for(const std::string& option) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> names = {
      {{"--time", "--seconds"},
       {"--timeout", "--seconds"},
       {"--time-limit", "--seconds"},
       {"--max-time", "--seconds"},
       {"--maxtime", "--seconds"},
       {"--iterations", "--samples"},
       {"--max-iterations", "--samples"},
       {"--max-iter", "--samples"},
       {"--maxiter", "--samples"},
       {"--iter", "--samples"},
       {"--iters", "--samples"},
       {"--steps", "--samples"},
       {"--tol", "--tolerance"},
       {"--eps", "--tolerance"},
       {"--epsilon", "--tolerance"}}};
  std::string plain = option;
  std::replace(plain.begin(), plain.end(), '_', '-');
  for (const auto& [theirs, ours] : names)
    if (plain == theirs) return std::string(ours);
  return "";
}

// The commands that have an option, for one that has not: "; bridle fair has it".
std::string elsewhere(const CLI::App& app, const std::string& option, const std::string& what) {
  Names owners;
  for (const auto* command : app.get_subcommands(nullptr)) {
    if (option == "--target" && command->get_name() == "fair") continue;  // there it is a column
    if (command->get_option_no_throw(option)) owners.push_back("bridle " + command->get_name());
  }
  if (owners.empty()) return "";
  const std::string last = owners.back();
  owners.pop_back();
  return owners.empty() ? "; " + last + " has " + what
                        : fmt::format("; {} and {} have {}", fmt::join(owners, ", "), last, what);
}

// What may be meant by an option that a command does not have.
std::string option_hint(const CLI::App& app, const CLI::App& command, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  std::string ours = our_name_for(option);
  if ((ours == "--seconds" || option == "--seconds") && command.get_option_no_throw("--time-limit"))
    ours = "--time-limit";
  if (!ours.empty() && command.get_option_no_throw(ours)) return "; did you mean '" + ours + "'?";
  std::string out = elsewhere(app, option, "it");
  if (out.empty() && !ours.empty()) out = elsewhere(app, ours, ours);
  if (!out.empty()) return out;
  Names known;
  for (const auto* one : command.get_options())
    for (const auto& name : one->get_lnames()) known.push_back("--" + name);
  const std::string best = nearest(option, known);
  return !best.empty() && resembles(option, best) ? "; did you mean '" + best + "'?"
                                                  : "; see bridle " + command.get_name() + " --help";
}

// What CLI11 could not place: a mistyped command or option.
void refuse_extras(const CLI::App& app) {
  Names known;
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    for (const auto* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
    if (app.remaining().empty())
      throw InputError(fmt::format("a command is needed: {}; see bridle --help", fmt::join(known, ", ")));
    const std::string word = app.remaining().front();
    throw InputError("there is no command '" + word + "'" + did_you_mean(word, known));
  }
  const std::string name = chosen.front()->get_name();
  for (const auto& word : chosen.front()->remaining()) {
    if (!word.starts_with("-"))
      throw InputError("'" + word + "' is one argument too many; see bridle " + name + " --help");
    throw InputError("bridle " + name + " has no option '" + word + "'" +
                     option_hint(app, *chosen.front(), word));
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Stochastic nonconvex optimisation with linear constraints, certified.", "bridle"};
  app.set_version_flag("--version", bridle::version);
  app.allow_extras();  // subcommands inherit it; refuse_extras says more than CLI11 does
  app.footer(
      "Exit codes: 0 certified to the tolerance; 1 ended without; 2 bad usage or input; 3 infeasible;\n"
      "4 diverged; 5 a rank was lost; 130 interrupted.");

  Action chosen;
  for (const auto add : {add_solve, add_certify, add_fair, add_predict, add_slice, add_consensus, add_plot,
                         add_info, add_demo}) {
    const std::size_t before = app.get_subcommands(nullptr).size();
    Action action = add(app);
    app.get_subcommands(nullptr).at(before)->callback([&chosen, action] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return fail(error.what() + std::string("; see --help"));
    std::ostringstream text;
    const int code = app.exit(error, text, text);
    print_checked(stdout, text.str());
    return code;
  }
  refuse_extras(app);
  refuse_same_names(*app.get_subcommands().front());
  // Under mpirun it is one until ranks know who shares processors with whom.
  use_threads(threads_asked_for(threads_said().value_or(launched_ranks_here() > 1 ? 1 : 0)));
  return chosen();
}

}  // namespace
}  // namespace bridle::cli

// Where no exception can pass, such as a destructor that found no memory: one line and nothing left behind
// all the same. Nothing here allocates.
[[noreturn]] void end_at_once() noexcept {
  bridle::remove_unfinished_files();
  bool no_memory = false;
  if (const auto thrown = std::current_exception()) try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      no_memory = true;
    } catch (...) {
    }
  std::fputs(no_memory ? "bridle: error: not enough memory for this problem\n"
                       : "bridle: error: this should not happen, please report it: std::terminate\n",
             stderr);
  std::_Exit(bridle::cli::exit_bad_input);
}

int main(int argc, char** argv) {
  using namespace bridle::cli;
  std::set_terminate(end_at_once);
  bridle::keep_freed_memory();
  bridle::Screen::leave_nothing_behind();
  try {
    const int code = run(argc, argv);
    bridle::check_stream(stdout);
    return code == 0 && bridle::output_was_lost() ? exit_bad_input : code;
  } catch (const bridle::InputError& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for this problem");
  } catch (const std::system_error& error) {  // a stream that cannot be read or written
    return fail(error.what());
  } catch (const std::exception& error) {
    return fail(fmt::format("this should not happen, please report it: {}", error.what()));
  }
}
