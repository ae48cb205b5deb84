#include "bridle/apps/fair/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "bridle/apps/data/number_notes.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"

namespace bridle {
namespace {

io::CsvOptions reading(const Classifier& c, const PredictOptions& options) {
  io::CsvOptions csv;
  csv.columns = options.columns.empty() ? c.columns : options.columns;
  csv.categorical = c.categorical;
  csv.missing = io::Missing::keep;
  csv.missing_values = c.missing_values;
  csv.separator = options.separator;
  return csv;
}

// Fields as they stand in the file: the columns are read once more, as text.
std::vector<Names> fields_of(const std::string& file, const io::Table& table, io::CsvOptions csv,
                             const Names& columns) {
  if (columns.empty()) return {};
  for (const auto& name : columns) static_cast<void>(table.column(name));
  csv.categorical = columns;
  csv.missing_values.clear();
  csv.ignore.clear();
  for (const auto& column : table.columns)
    if (std::find(columns.begin(), columns.end(), column.name) == columns.end())
      csv.ignore.push_back(column.name);
  const io::Table text = io::read_csv(file, csv);
  std::vector<Names> out;
  for (const auto& name : columns) {
    const io::Column& column = text.column(name);
    Names fields;
    for (const auto code : column.codes)
      fields.push_back(code < 0 ? "" : column.categories[static_cast<std::size_t>(code)]);
    out.push_back(std::move(fields));
  }
  return out;
}

Names columns_not_read(const Encoding& encoding, const io::Table& table) {
  std::set<std::string_view> read;
  for (const auto& column : encoding.columns) read.insert(column.source);
  Names out;
  for (const auto& column : table.columns)
    if (!read.contains(column.name)) out.push_back(column.name);
  return out;
}

// The groups of a sensitive column of the file, those of text and of numbers with two values.
std::optional<Attribute> groups_of(const io::Table& table, const std::string& name) {
  const io::Column* column = table.find(name);
  if (!column) return {};
  Attribute out;
  out.name = name;
  if (column->numeric) {
    std::set<double> values;
    for (const double v : column->numbers)
      if (std::isnan(v) || (values.insert(v), values.size() > 2)) return {};
    group_by_values(out, column->numbers);
  } else {
    if (std::find(column->codes.begin(), column->codes.end(), -1) != column->codes.end()) return {};
    out.groups = column->categories;
    out.codes = column->codes;
  }
  out.trained_groups = out.groups.size();
  return out;
}

// Nothing where the file does not have the target in every row. Labels that the training data has not are
// refused: whoever has another code for the classes would be told wrong figures.
std::optional<Metrics> figures_of(const Classifier& c, const io::Table& table, const Vector& above) {
  const io::Column* column = table.find(c.target.column);
  if (!column) return {};
  const bool gaps = column->numeric
                        ? std::any_of(column->numbers.begin(), column->numbers.end(),
                                      [](double v) { return std::isnan(v); })
                        : std::find(column->codes.begin(), column->codes.end(), -1) != column->codes.end();
  if (gaps) return {};
  Target target = c.target;
  target.full_stop_may_differ = true;
  target.numeric = column->numeric && io::parse_number(target.classes.front(), target.positive_number);
  FairData data{table.file, 0, 0, 0, DenseRows<double>(0, 0), {}, {}, {}};
  data.labels = labels_of(table, target);
  for (const auto& name : c.sensitive)
    if (auto groups = groups_of(table, name)) data.attributes.push_back(std::move(*groups));
  return measure(data, above, LogisticLoss{});
}

void check_threshold(double threshold, bool probability) {
  if (!std::isfinite(threshold)) throw InputError(fmt::format("--threshold {} is not finite", threshold));
  if (probability && !(threshold >= 0 && threshold <= 1))
    throw InputError(fmt::format("--threshold {}: probabilities are between 0 and 1", threshold));
}

}  // namespace

Predictions predict(const Classifier& c, const std::string& file, const PredictOptions& options) {
  if (options.probability && !c.platt)
    throw InputError("the model has no probabilities: train it with --folds");
  if (options.threshold) check_threshold(*options.threshold, options.probability);
  const io::CsvOptions csv = reading(c, options);
  io::Table table = io::read_csv(file, csv);
  Predictions out;
  out.notes = notes_on_points(table, columns_not_read(c.encoding, table));
  out.imputed = fill_missing(table, c.fills);
  const Features features = encode(c.encoding, table, &out.unseen);
  const Vector scores = make_scorer(features, c.hidden)->scores(c.weights);
  out.scores = scores;
  if (options.probability)
    out.scores = scores.unaryExpr(
        [&](double s) { return 1 / (1 + std::exp(-(c.platt->slope * s + c.platt->shift))); });
  const Vector above = options.threshold ? Vector(out.scores.array() - *options.threshold) : scores;
  out.moved = ((above.array() > 0) != (scores.array() > 0)).count();
  const std::string negative =
      c.target.classes.size() == 2 ? c.target.classes[1] : "not " + c.target.classes[0];
  for (const double margin : above) out.labels.push_back(margin > 0 ? c.target.classes[0] : negative);
  out.figures = figures_of(c, table, above);
  out.passed = fields_of(file, table, csv, options.pass);
  return out;
}

}  // namespace bridle
