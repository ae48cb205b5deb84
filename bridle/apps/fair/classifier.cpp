#include "bridle/apps/fair/classifier.hpp"

#include <algorithm>

#include "bridle/apps/fair/metrics.hpp"

namespace bridle {

Predictions predict(const Classifier& c, const std::string& file, const Names& columns) {
  io::CsvOptions csv;
  csv.columns = columns.empty() ? c.columns : columns;
  csv.categorical = c.categorical;
  csv.missing = io::Missing::keep;
  io::Table table = io::read_csv(file, csv);
  Predictions out;
  out.imputed = fill_missing(table, c.fills);
  const Features features = encode(c.encoding, table, &out.unseen);
  out.scores = scores_of(features, c.weights);
  const std::string negative =
      c.target.classes.size() == 2 ? c.target.classes[1] : "not " + c.target.classes[0];
  for (const double score : out.scores) out.labels.push_back(score > 0 ? c.target.classes[0] : negative);
  return out;
}

}  // namespace bridle
