// A trained classifier as it is kept and used: the encoding, the weights, the names of the classes.
#pragma once

#include <optional>

#include "bridle/apps/fair/fair_data.hpp"
#include "bridle/apps/fair/metrics.hpp"
#include "bridle/apps/fair/scorer.hpp"

namespace bridle {

struct Classifier {
  Encoding encoding;
  Hidden hidden = {};  // units of a network's layers; none: a linear model
  Vector weights;
  std::vector<Fill> fills;  // for missing values
  Target target;
  Names columns;      // of files without a header
  Names categorical;  // columns read as text although they look like numbers
  Names missing_values = {"?"};
  Names sensitive = {};  // columns whose groups figures are told for
  struct Platt {
    double slope = 1, shift = 0;
  };
  std::optional<Platt> platt = {};  // probability = 1 / (1 + exp(-(slope score + shift)))
};

struct PredictOptions {
  Names columns = {};                    // of a file without a header; empty: the classifier's
  bool probability = false;              // write probabilities, and compare those with the threshold
  std::optional<double> threshold = {};  // selected above it; none: the model's own decisions, score > 0
  Names pass = {};                       // columns to write beside the scores, as they stand in the file
  char separator = io::find_separator;
};

struct Predictions {
  Vector scores;              // or probabilities, one per row of the file, in order
  Names labels;               // the positive class for those selected
  Index moved = 0;            // decisions that are others than the model's own, by the threshold
  std::vector<Names> passed;  // per column to pass: its fields
  std::optional<Metrics>
      figures;        // where the file has the target: decisions against it, with the groups it has
  Index unseen = 0;   // categories that the training data has not: they count as all zeros
  Index imputed = 0;  // missing values that were filled
  Names notes = {};   // on numbers of the file that may mean something else
};

// Every row gets a prediction. Throws InputError.
Predictions predict(const Classifier& classifier, const std::string& file,
                    const PredictOptions& options = {});

}  // namespace bridle
