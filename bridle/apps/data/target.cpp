#include "bridle/apps/data/target.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_classes = 50;  // of numbers: more of them are not told apart
constexpr std::size_t most_shown = 10, most_named = 5;

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

// How many rows of all processes have each of the values of a text column.
std::vector<Index> counts_of(const io::Column& column, const FileShare* share) {
  std::vector<Index> mine(column.categories.size()), out(mine.size());
  for (const auto code : column.codes)
    if (code >= 0) ++mine[static_cast<std::size_t>(code)];
  for (const auto& counts : values_of_all(share, mine))
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += counts[k];
  return out;
}

// What two labels have in common that differ in case or in blanks around them only.
std::string folded(const std::string& label) {
  const auto first = label.find_first_not_of(" \t"), last = label.find_last_not_of(" \t");
  std::string out = first == std::string::npos ? "" : label.substr(first, last + 1 - first);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string note_on_similar(const Names& classes) {
  std::unordered_map<std::string, const std::string*> known;
  for (const auto& one : classes) {
    const auto [other, is_new] = known.try_emplace(folded(one), &one);
    if (!is_new)
      return fmt::format("{} and {} differ only in case or in blanks around them",
                         io::in_quotes(*other->second), io::in_quotes(one));
  }
  return {};
}

// `rows` of each class, the positive one first.
std::string note_on_classes(const Target& target, const std::vector<Index>& rows) {
  const std::string similar = note_on_similar(target.classes);
  if (target.classes.size() < 3)
    return similar.empty() ? "" : fmt::format("target '{}': {}", target.column, similar);
  std::vector<std::size_t> order(rows.size() - 1);
  std::iota(order.begin(), order.end(), 1U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a] > rows[b]; });
  Names named;
  Index others = 0;
  for (const auto k : order)
    if (named.size() < most_named)
      named.push_back(fmt::format("{} {}", rows[k], io::in_quotes(target.classes[k])));
    else
      others += rows[k];
  return fmt::format(
      "target '{}': counted as not {}: {}{}{}", target.column, io::in_quotes(target.classes.front()),
      fmt::join(named, ", "),
      others > 0 ? fmt::format(" and {} of {} other values", others, order.size() - most_named) : "",
      similar.empty() ? "" : "; " + similar);
}

Target text_target(const io::Table& table, const io::Column& column, const PositiveClass& positive,
                   const FileShare* share) {
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
  std::unordered_map<std::string, std::size_t> known{{yes, 0}};
  const std::vector<Index> counts = counts_of(column, share);
  std::vector<Index> rows(1);  // of each class
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const std::string one = class_of(labels[k], positive.full_stop_may_differ);
    present = present || one == yes;
    const auto [place, is_new] = known.try_emplace(one, rows.size());
    if (is_new) out.classes.push_back(one), rows.push_back(0);
    rows[place->second] += counts[k];
  }
  if (!present)
    throw InputError(table.file, 0,
                     "no row has target '" + column.name + "' = '" + *positive.text + "'" +
                         did_you_mean(*positive.text, labels));
  if (out.classes.size() < 2) refuse_one_class(table.file, column.name);
  out.note = note_on_classes(out, rows);
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
                        : text_target(table, column, positive, share);
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
