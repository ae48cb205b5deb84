// A trained classifier as it is kept and used: the encoding, the weights, the names of the classes.
#pragma once

#include "bridle/apps/fair/fair_data.hpp"

namespace bridle {

struct Classifier {
  Encoding encoding;
  Vector weights;
  std::vector<Fill> fills;  // for missing values
  Target target;
  Names columns;      // of files without a header
  Names categorical;  // columns read as text although they look like numbers
};

struct Predictions {
  Vector scores;      // theta'x + intercept, one per row of the file, in order
  Names labels;       // positive class where the score is > 0
  Index unseen = 0;   // categories that the training data has not: they count as all zeros
  Index imputed = 0;  // missing values that were filled
};

// Every row gets a prediction. `columns`, if not empty, replaces the classifier's. Throws InputError.
Predictions predict(const Classifier& classifier, const std::string& file, const Names& columns = {});

}  // namespace bridle
