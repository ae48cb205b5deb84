#include "bridle/apps/fair/fair_data.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bridle/apps/data/number_notes.hpp"
#include "bridle/apps/fair/cells.hpp"
#include "bridle/apps/fair/column_notes.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/name_list.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"

namespace bridle {
namespace {

io::Table read_table(const std::string& file, const DataStatement& s) {
  io::CsvOptions csv = s.csv;
  csv.missing = s.impute ? io::Missing::keep : io::Missing::drop;
  io::Table table = io::read_csv(file, csv);
  if (s.impute) {
    Names needed = s.sensitive;
    needed.push_back(s.target);
    drop_rows_without(table, needed);
  }
  return table;
}

// A number may be meant as text or as a number: the column decides.
PositiveClass positive_class(const DataStatement& s) {
  PositiveClass out{.option = "--positive", .full_stop_may_differ = true};
  if (s.positive.empty()) return out;
  out.text = s.positive;
  if (double number = 0; io::parse_number(s.positive, number)) out.number = number;
  return out;
}

[[noreturn]] void refuse_constant(const io::Table& table, const std::string& column) {
  throw InputError(table.file, 0, "sensitive column '" + column + "' is constant");
}

void cut_at_median(Attribute& attribute) {
  attribute.groups = {fmt::format("<= {:g}", attribute.median), fmt::format("> {:g}", attribute.median)};
  for (const double v : attribute.numbers) attribute.codes.push_back(v > attribute.median ? 1 : 0);
}

Attribute training_attribute(const io::Table& table, const std::string& name) {
  const io::Column& column = table.only_column(name);
  Attribute out;
  out.name = name;
  if (!column.numeric) {
    if (column.categories.size() < 2) refuse_constant(table, name);
    out.groups = column.categories;
    out.codes = column.codes;
  } else {
    std::set<double> values;
    for (const double v : column.numbers)
      if (values.size() <= 2) values.insert(v);
    if (values.size() < 2) refuse_constant(table, name);
    if (values.size() == 2) {
      group_by_values(out, column.numbers);
    } else {
      out.numeric = true;
      out.numbers = column.numbers;
      std::vector<double> sorted = column.numbers;
      const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
      std::nth_element(sorted.begin(), middle, sorted.end());
      out.median = *middle;
      cut_at_median(out);
    }
  }
  out.trained_groups = out.groups.size();
  return out;
}

Attribute test_attribute(const io::Table& table, const Attribute& trained) {
  const io::Column& column = table.column(trained.name);
  Attribute out;
  out.name = trained.name;
  out.numeric = trained.numeric;
  out.median = trained.median;
  out.trained_groups = trained.trained_groups;
  if (trained.numeric) {
    if (!column.numeric)
      throw InputError(
          table.file, 0,
          "sensitive column '" + trained.name + "' is text here but was numeric in the training data");
    out.numbers = column.numbers;
    cut_at_median(out);
    return out;
  }
  out.groups = trained.groups;
  if (column.numeric) {
    group_by_values(out, column.numbers);
    return out;
  }
  std::vector<std::int32_t> group;
  for (const auto& category : column.categories) {
    auto found = std::find(out.groups.begin(), out.groups.end(), category);
    if (found == out.groups.end()) found = out.groups.insert(found, category);
    group.push_back(static_cast<std::int32_t>(found - out.groups.begin()));
  }
  for (const auto code : column.codes) out.codes.push_back(group[static_cast<std::size_t>(code)]);
  return out;
}

std::vector<bool> samples_with_value(const io::Table& table, const Condition& condition) {
  const io::Column& column = table.column(condition.column);
  std::vector<bool> out(static_cast<std::size_t>(table.rows), false);
  if (column.numeric) {
    double value = 0;
    if (!io::parse_number(condition.value, value))
      throw InputError(
          table.file, 0,
          "column '" + column.name + "' is numeric, but the condition asks for '" + condition.value + "'");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = column.numbers[i] == value;
    return out;
  }
  const auto& known = column.categories;
  const auto found = std::find(known.begin(), known.end(), condition.value);
  if (found == known.end())
    throw InputError(table.file, 0,
                     "no row has '" + column.name + "' = '" + condition.value + "'" +
                         did_you_mean(condition.value, known));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = column.codes[i] == found - known.begin();
  return out;
}

std::vector<bool> samples_kept(const io::Table& table, const Vector& labels, const Condition& condition) {
  if (condition.kind == Condition::Kind::value) return samples_with_value(table, condition);
  std::vector<bool> out(static_cast<std::size_t>(table.rows), true);
  if (condition.kind == Condition::Kind::all) return out;
  const double sign = condition.kind == Condition::Kind::positive ? 1 : -1;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = labels[static_cast<Index>(i)] == sign;
  return out;
}

void check_statement(const DataStatement& s, const std::string& file) {
  for (const auto& name : s.sensitive) {
    if (name == s.target)
      throw InputError(file, 0, "the sensitive column '" + name + "' is the target itself");
    if (std::count(s.sensitive.begin(), s.sensitive.end(), name) > 1)
      throw InputError(file, 0, "the sensitive column '" + name + "' is named twice");
  }
}

// Nothing where all rows weigh the same.
Vector weights_of(const io::Table& table, const DataStatement& s, const Vector& labels) {
  if (s.weights.empty() && !s.balanced) return {};
  Vector out = Vector::Ones(table.rows);
  if (!s.weights.empty()) {
    const io::Column& column = table.only_column(s.weights);
    if (!column.numeric) throw InputError(table.file, 0, "the column of weights '" + s.weights + "' is text");
    for (Index i = 0; i < out.size(); ++i) {
      out[i] = column.numbers[static_cast<std::size_t>(i)];
      if (!(out[i] >= 0) || !is_finite(out[i]))
        throw InputError(table.file, 0,
                         "the column of weights '" + s.weights + "' has one that is no number >= 0");
    }
    if (!(out.sum() > 0)) throw InputError(table.file, 0, "all weights in column '" + s.weights + "' are 0");
  }
  if (s.balanced) {
    const double positive = (labels.array() > 0).select(out.array(), 0).sum(),
                 negative = out.sum() - positive;
    if (!(positive > 0) || !(negative > 0))
      throw InputError(table.file, 0, "classes cannot be balanced: one of them weighs nothing");
    for (Index i = 0; i < out.size(); ++i) out[i] /= labels[i] > 0 ? positive : negative;
  }
  return out;
}

// On large data what is not needed any more makes room.
void drop_columns(io::Table& table, const Names& names) {
  std::erase_if(table.columns, [&](const io::Column& column) {
    return std::find(names.begin(), names.end(), column.name) != names.end();
  });
}

Names column_names(const io::Table& table) {
  Names out;
  for (const auto& column : table.columns) out.push_back(column.name);
  return out;
}

}  // namespace

void group_by_values(Attribute& attribute, const std::vector<double>& numbers) {
  for (const double v : numbers) {
    const std::string name = fmt::format("{}", v);
    auto found = std::find(attribute.groups.begin(), attribute.groups.end(), name);
    if (found == attribute.groups.end()) found = attribute.groups.insert(found, name);
    attribute.codes.push_back(static_cast<std::int32_t>(found - attribute.groups.begin()));
  }
}

std::string Condition::name() const {
  switch (kind) {
    case Kind::all:
      return "all";
    case Kind::positive:
      return "positive";
    case Kind::negative:
      return "negative";
    case Kind::value:
      return column + "=" + value;
  }
  return "all";
}

Condition parse_condition(const std::string& text) {
  if (text == "all") return {};
  if (text == "positive") return {Condition::Kind::positive, {}, {}};
  if (text == "negative") return {Condition::Kind::negative, {}, {}};
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError("--within '" + text + "' is none of all, positive, negative and COLUMN=VALUE");
  return {Condition::Kind::value, text.substr(0, equals), text.substr(equals + 1)};
}

TrainingData read_training(const std::string& file, const DataStatement& s) {
  check_statement(s, file);
  return training_from(read_table(file, s), s);
}

TrainingData training_from(io::Table table, const DataStatement& s) {
  const std::string file = table.file;
  Target target = find_target(table, s.target, positive_class(s));
  std::vector<Attribute> attributes;
  for (const auto& name : s.sensitive) attributes.push_back(training_attribute(table, name));
  if (s.intersections) {
    if (attributes.size() < 2) throw InputError(file, 0, "--intersections needs two sensitive columns");
    attributes.push_back(intersection_of(attributes));
  }

  EncodingOptions options{.exclude = s.sensitive_features ? Names{} : s.sensitive,
                          .standardise = s.standardise};
  options.exclude.push_back(s.target);
  Names notes = notes_on_columns(table, s.keep, options.exclude);
  for (auto& note : notes_on_decimal_commas(table)) notes.push_back(std::move(note));
  for (auto& note : notes_on_points(table, options.exclude)) notes.push_back(std::move(note));
  if (!target.note.empty()) notes.push_back(target.note);
  for (const auto& attribute : attributes)
    if (attribute.numeric)
      notes.push_back(
          fmt::format("sensitive column '{}' is taken as a number, and its groups are those up to the median "
                      "{:g} and those above; --categorical {} if its values are codes",
                      attribute.name, attribute.median, as_argument(attribute.name)));
  Vector labels = labels_of(table, target);
  std::vector<std::vector<bool>> kept;
  for (const auto& condition : s.conditions) kept.push_back(samples_kept(table, labels, condition));
  Vector weights = weights_of(table, s, labels);
  if (!s.weights.empty()) options.exclude.push_back(s.weights);
  drop_columns(table, options.exclude);
  std::vector<Fill> fills = learn_fills(table, column_names(table));
  const Index imputed = s.impute ? fill_missing(table, fills) : 0;
  Encoding encoding = make_encoding(table, options);
  for (auto& note : notes_on_many_columns(encoding)) notes.push_back(std::move(note));
  Features features = encode(encoding, table);
  return {{file, table.dropped_rows, imputed, 0, std::move(features), std::move(labels),
           std::move(attributes), std::move(kept), std::move(weights)},
          std::move(encoding),
          std::move(target),
          std::move(fills),
          std::move(notes)};
}

FairData read_test(const std::string& file, const DataStatement& s, const TrainingData& training) {
  io::Table table = read_table(file, s);
  Vector labels = labels_of(table, training.target);
  std::vector<Attribute> attributes;
  for (std::size_t a = 0; a < s.sensitive.size(); ++a)
    attributes.push_back(test_attribute(table, training.data.attributes[a]));
  if (s.intersections) attributes.push_back(intersection_of(attributes, &training.data.attributes.back()));
  std::vector<std::vector<bool>> kept;
  for (const auto& condition : s.conditions) kept.push_back(samples_kept(table, labels, condition));
  const Index imputed = s.impute ? fill_missing(table, training.fills) : 0;
  Index unseen = 0;
  Features features = encode(training.encoding, table, &unseen);
  return {file,
          table.dropped_rows,
          imputed,
          unseen,
          std::move(features),
          std::move(labels),
          std::move(attributes),
          std::move(kept),
          {}};
}

}  // namespace bridle
