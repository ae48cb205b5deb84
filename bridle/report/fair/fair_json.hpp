// Fair classifiers as JSON: figures, sweeps, and models that can be read back.
#pragma once

#include "bridle/apps/fair/bootstrap.hpp"
#include "bridle/apps/fair/choice.hpp"
#include "bridle/apps/fair/classifier.hpp"
#include "bridle/apps/fair/folds.hpp"
#include "bridle/apps/fair/sweep.hpp"
#include "bridle/report/json.hpp"

namespace bridle {

// What both kinds of report say about the data and the model.
struct FairSetting {
  const FairProblem& problem;
  const DataStatement& data;
  const FairData* test = nullptr;
  double load_seconds = 0;
};

Json to_json(const Metrics& metrics);
Json to_json(const std::vector<RowFigures>& rows);
Json to_json(const RateFigures& rates);
Json to_json(const CrossValidation& folds);
Json to_json(const Choice& choice);
Json to_json(const std::vector<Interval>& intervals, int replicates, const std::string& data);

// The result as `bridle solve` writes it, with data, fairness rows, metrics, history, and the model without
// bounds.
Json fit_json(const FairSetting& setting, const Fit& fit, const Fit& free);
// All runs, and the curve: mean and standard deviation over the seeds of each bound.
Json sweep_json(const FairSetting& setting, const Sweep& sweep);
// One line per run.
std::string sweep_csv(const Sweep& sweep);

Json model_json(const FairSetting& setting, const Fit& fit);
// Throws InputError for what model_json has not written.
Classifier read_classifier(const std::string& path);

}  // namespace bridle
