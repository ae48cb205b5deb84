// What the subcommands share: exit codes, and how one is attached to the command line.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "bridle/core/error.hpp"
#include "bridle/core/name_list.hpp"
#include "bridle/core/status.hpp"

namespace bridle::cli {

inline constexpr int exit_certified = 0;
inline constexpr int exit_not_certified = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_infeasible = 3;
inline constexpr int exit_diverged = 4;
inline constexpr int exit_rank_lost = 5;
inline constexpr int exit_interrupted = 130;

constexpr int exit_code(Status status) {
  switch (status) {
    case Status::stationary:
      return exit_certified;
    case Status::budget_exhausted:
      return exit_not_certified;
    case Status::infeasible:
      return exit_infeasible;
    case Status::diverged:
      return exit_diverged;
    case Status::interrupted:
      return exit_interrupted;
  }
  return exit_not_certified;
}

// Checks of numbers on the command line, with messages that state the rule.
inline CLI::Validator number_rule(const char* rule, bool (*holds)(double)) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        const bool ok = CLI::detail::lexical_cast(text, value) && holds(value);
        return ok ? std::string() : "'" + text + "' is not " + rule;
      },
      "");
}
inline CLI::Validator positive() {
  return number_rule("a finite number > 0", [](double v) { return v > 0 && std::isfinite(v); });
}
inline CLI::Validator at_least_zero() {
  return number_rule("a finite number >= 0", [](double v) { return v >= 0 && std::isfinite(v); });
}
inline CLI::Validator whole() {
  return number_rule("a whole number >= 0",
                     [](double v) { return v >= 0 && v == std::floor(v) && v < 0x1p64; });
}

// Of things that are gone through one by one within an iteration.
inline CLI::Validator whole_count() {
  return number_rule("a whole number from 0 to 2147483647",
                     [](double v) { return v >= 0 && v == std::floor(v) && v < 0x1p31; });
}

inline CLI::Validator positive_whole() {
  return number_rule("a whole number > 0, at most 2147483647",
                     [](double v) { return v > 0 && v == std::floor(v) && v < 0x1p31; });
}

// A list with commas, in which a name with a comma is quoted as in CSV. Empty items count for nothing.
inline CLI::Option* add_list(CLI::App& command, const std::string& option, Names& into,
                             const std::string& description) {
  return command.add_option_function<Names>(
      option,
      [&into, option](const Names& given) {
        into.clear();
        for (const auto& text : given)
          for (auto& name : split_list(text, option))
            if (!name.empty()) into.push_back(std::move(name));
      },
      description);
}

// How fields of a file are separated, where it is not to be found out.
inline void add_separator(CLI::App& command, std::string& separator) {
  command.add_option("--separator", separator, "What separates fields (default: what splits the first line)")
      ->check(CLI::IsMember({"comma", "semicolon", "tab", "blank"}))
      ->type_name("comma|semicolon|tab|blank");
}
inline char separator_called(const std::string& name) {
  return name == "semicolon" ? ';' : name == "tab" ? '\t' : name == "blank" ? ' ' : ',';
}

// Beside a result on standard output the screen is the other stream.
inline std::FILE* screen_stream(bool quiet, const std::string& json) {
  return quiet ? nullptr : json == "-" ? stderr : stdout;
}

// The path of an output that is no text for a pipe.
inline const std::string& only_a_file(const char* option, const std::string& path) {
  if (path == "-") throw InputError(std::string(option) + " needs a file; '-' is for --json");
  return path;
}

// A subcommand adds itself to the application and returns what to do when it was chosen.
using Action = std::function<int()>;
Action add_solve(CLI::App& app);
Action add_certify(CLI::App& app);
Action add_fair(CLI::App& app);
Action add_consensus(CLI::App& app);
Action add_predict(CLI::App& app);
Action add_slice(CLI::App& app);
Action add_info(CLI::App& app);
Action add_demo(CLI::App& app);
Action add_plot(CLI::App& app);

}  // namespace bridle::cli
