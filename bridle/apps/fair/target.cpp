#include "bridle/apps/fair/target.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_classes = 50;

std::string without_full_stop(const std::string& label) {
  return label.size() > 1 && label.back() == '.' ? label.substr(0, label.size() - 1) : label;
}

Target numeric_target(const io::Table& table, const io::Column& column, const std::string& positive) {
  std::set<double> values;
  for (const double v : column.numbers)
    if (values.size() <= most_classes) values.insert(v);
  if (values.size() < 2) throw InputError(table.file, 0, "target '" + column.name + "' has one class only");
  if (positive.empty() && values.size() > 2)
    throw InputError(table.file, 0,
                     "target '" + column.name + "' has more than two values: --positive must name one");
  double yes = *values.rbegin();
  if (!positive.empty() && !io::parse_number(positive, yes))
    throw InputError(
        table.file, 0,
        "target '" + column.name + "' is numeric, but the positive class is the text '" + positive + "'");
  if (std::find(column.numbers.begin(), column.numbers.end(), yes) == column.numbers.end())
    throw InputError(table.file, 0, fmt::format("no row has target '{}' = {}", column.name, yes));
  Target out{column.name, true, yes, {fmt::format("{}", yes)}};
  for (const double v : values)
    if (v != yes) out.classes.push_back(fmt::format("{}", v));
  return out;
}

Target text_target(const io::Table& table, const io::Column& column, const std::string& positive) {
  if (positive.empty())
    throw InputError(
        table.file, 0,
        fmt::format("target '{}' is text: --positive must say which of its values is positive ({})",
                    column.name, fmt::join(column.categories, ", ")));
  const std::string yes = without_full_stop(positive);
  Target out{column.name, false, 0, {yes}};
  bool present = false;
  for (const auto& category : column.categories) {
    const std::string label = without_full_stop(category);
    if (label == yes)
      present = true;
    else if (std::find(out.classes.begin(), out.classes.end(), label) == out.classes.end())
      out.classes.push_back(label);
  }
  if (!present)
    throw InputError(table.file, 0,
                     "no row has target '" + column.name + "' = '" + positive + "'" +
                         did_you_mean(positive, column.categories));
  if (out.classes.size() < 2)
    throw InputError(table.file, 0, "target '" + column.name + "' has one class only");
  return out;
}

}  // namespace

Target find_target(const io::Table& table, const std::string& name, const std::string& positive) {
  const io::Column& column = table.only_column(name);
  return column.numeric ? numeric_target(table, column, positive) : text_target(table, column, positive);
}

Vector labels_of(const io::Table& table, const Target& target) {
  const io::Column& column = table.column(target.column);
  if (column.numeric != target.numeric)
    throw InputError(table.file, 0,
                     fmt::format("target '{}' is {} here but was {} in the training data", column.name,
                                 column.numeric ? "numeric" : "text", target.numeric ? "numeric" : "text"));
  Vector out(table.rows);
  if (column.numeric) {
    for (Index i = 0; i < table.rows; ++i)
      out[i] = column.numbers[static_cast<std::size_t>(i)] == target.positive_number ? 1 : -1;
    return out;
  }
  std::vector<double> sign;
  for (const auto& category : column.categories) {
    const std::string label = without_full_stop(category);
    if (std::find(target.classes.begin(), target.classes.end(), label) == target.classes.end())
      throw InputError(table.file, 0,
                       fmt::format("target '{}' has the value '{}', which the training data has not ({})",
                                   column.name, category, fmt::join(target.classes, ", ")));
    sign.push_back(label == target.classes.front() ? 1 : -1);
  }
  for (Index i = 0; i < table.rows; ++i)
    out[i] = sign[static_cast<std::size_t>(column.codes[static_cast<std::size_t>(i)])];
  return out;
}

}  // namespace bridle
