// What a user says to `bridle fair`.
#pragma once

#include "bridle/apps/fair/sweep.hpp"

#include "command.hpp"

namespace bridle::cli {

struct FairArguments {
  std::string train, test, bound, sweep, loss = "logistic-difference", missing = "drop", separator;
  std::string gap, ratio, measure;
  double confidence = 0;
  Index smallest_group = 1;
  int starts = 0;
  double validate = 0;
  int folds = 0, bootstrap = 0;
  Names models;        // of --model: the kind, a file, or both
  std::string hidden;  // of --hidden
  std::string model, json, csv, report, log;
  Names within, missing_values;
  int seeds = 1;
  unsigned threads = 0;
  bool quiet = false;
  DataStatement data;
  FairStatement statement;
  SolveOptions solve{};
  std::optional<double> epochs;

  std::optional<RateStatement> rates = {};  // of --gap and --ratio
  std::string ridge = "1e-4";               // of --ridge: a number or auto
  bool choose_ridge = false;
  std::vector<double> gaps_to_try = {};  // of --gap auto: the gap is one of them
  std::vector<Bound> swept = {};         // of --sweep, or of --gap with two ends

  bool is_sweep() const { return !swept.empty(); }
};

void add_fair_options(CLI::App& command, FairArguments& arguments);
// Checks what belongs together, and reads what was given as text. Throws InputError.
void finish_arguments(FairArguments& arguments);

}  // namespace bridle::cli
