#include "bridle/apps/data/target.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_classes = 50;  // of numbers: more of them are not told apart
constexpr std::size_t most_shown = 10;

std::string class_of(const std::string& label, bool full_stop_may_differ) {
  const bool stop = full_stop_may_differ && label.size() > 1 && label.back() == '.';
  return stop ? label.substr(0, label.size() - 1) : label;
}

[[noreturn]] void refuse_one_class(const std::string& file, const std::string& target) {
  throw InputError(file, 0, "target '" + target + "' has one class only");
}

// Up to most_classes + 1 of the numbers, and the one that is asked for if it is among them.
std::set<double> distinct(std::span<const double> labels, const PositiveClass& positive,
                          const FileShare* share) {
  std::set<double> out;
  for (const double v : labels)
    if (out.size() <= most_classes || v == positive.number) out.insert(v);
  for (const auto& others : values_of_all(share, std::vector<double>(out.begin(), out.end())))
    out.insert(others.begin(), others.end());
  return out;
}

Target text_target(const io::Table& table, const io::Column& column, const PositiveClass& positive) {
  const Names& labels = column.categories;
  if (!positive.text) {
    const auto shown = labels.begin() + static_cast<std::ptrdiff_t>(std::min(most_shown, labels.size()));
    throw InputError(table.file, 0,
                     fmt::format("target '{}' is text: {} must say which of its values is positive ({}{})",
                                 column.name, positive.option, fmt::join(labels.begin(), shown, ", "),
                                 shown == labels.end() ? "" : ", ..."));
  }
  const std::string yes = class_of(*positive.text, positive.full_stop_may_differ);
  Target out{.column = column.name, .classes = {yes}, .full_stop_may_differ = positive.full_stop_may_differ};
  bool present = false;
  std::unordered_set<std::string> known{yes};
  for (const auto& label : labels) {
    const std::string one = class_of(label, positive.full_stop_may_differ);
    present = present || one == yes;
    if (known.insert(one).second) out.classes.push_back(one);
  }
  if (!present)
    throw InputError(table.file, 0,
                     "no row has target '" + column.name + "' = '" + *positive.text + "'" +
                         did_you_mean(*positive.text, labels));
  if (out.classes.size() < 2) refuse_one_class(table.file, column.name);
  return out;
}

}  // namespace

Target numeric_target(std::span<const double> labels, const std::string& name, const std::string& file,
                      const PositiveClass& positive, const FileShare* share) {
  const std::set<double> values = distinct(labels, positive, share);
  if (values.size() < 2) refuse_one_class(file, name);
  if (positive.text && !positive.number)
    throw InputError(
        file, 0,
        "target '" + name + "' is numeric, but the positive class is the text '" + *positive.text + "'");
  if (!positive.number && values.size() > 2)
    throw InputError(file, 0,
                     fmt::format("target '{}' has {} values; a classification loss needs two, or {}", name,
                                 values.size() > most_classes ? fmt::format("more than {}", most_classes)
                                                              : fmt::format("{}", values.size()),
                                 positive.option));
  const double yes = positive.number.value_or(*values.rbegin());
  if (!values.contains(yes)) throw InputError(file, 0, fmt::format("no row has target '{}' = {}", name, yes));
  Target out{.column = name, .numeric = true, .positive_number = yes, .classes = {fmt::format("{}", yes)}};
  for (const double v : values)
    if (v != yes) out.classes.push_back(fmt::format("{}", v));
  return out;
}

Target find_target(const io::Table& table, const std::string& name, const PositiveClass& positive,
                   const FileShare* share) {
  const io::Column& column = table.only_column(name);
  return column.numeric ? numeric_target(column.numbers, column.name, table.file, positive, share)
                        : text_target(table, column, positive);
}

Vector labels_of(std::span<const double> labels, const Target& target) {
  Vector out(static_cast<Index>(labels.size()));
  for (Index i = 0; i < out.size(); ++i)
    out[i] = labels[static_cast<std::size_t>(i)] == target.positive_number ? 1 : -1;
  return out;
}

namespace {

[[noreturn]] void refuse_label(const std::string& file, const Target& target, std::string_view label) {
  throw InputError(file, 0,
                   fmt::format("target '{}' has the value '{}', which the training data has not ({})",
                               target.column, label, fmt::join(target.classes, ", ")));
}

// Of numbers with more classes than are kept, any other number is one of the rest.
void check_numbers(const io::Column& column, const Target& target, const std::string& file) {
  if (target.classes.size() > most_classes) return;
  std::set<double> known;
  for (const auto& name : target.classes)
    if (double value = 0; io::parse_number(name, value)) known.insert(value);
  for (const double v : column.numbers)
    if (!known.contains(v)) refuse_label(file, target, fmt::format("{}", v));
}

}  // namespace

Vector labels_of(const io::Table& table, const Target& target) {
  const io::Column& column = table.column(target.column);
  if (column.numeric != target.numeric)
    throw InputError(table.file, 0,
                     fmt::format("target '{}' is {} here but was {} in the training data", column.name,
                                 column.numeric ? "numeric" : "text", target.numeric ? "numeric" : "text"));
  if (column.numeric) {
    check_numbers(column, target, table.file);
    return labels_of(column.numbers, target);
  }
  const std::unordered_set<std::string> known(target.classes.begin(), target.classes.end());
  std::vector<double> sign;
  for (const auto& category : column.categories) {
    const std::string label = class_of(category, target.full_stop_may_differ);
    if (!known.contains(label)) refuse_label(table.file, target, category);
    sign.push_back(label == target.classes.front() ? 1 : -1);
  }
  Vector out(table.rows);
  for (Index i = 0; i < table.rows; ++i)
    out[i] = sign[static_cast<std::size_t>(column.codes[static_cast<std::size_t>(i)])];
  return out;
}

}  // namespace bridle
