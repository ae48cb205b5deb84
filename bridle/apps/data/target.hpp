// The column a classifier predicts, and which of its values is the positive one.
#pragma once

#include <optional>
#include <span>

#include "bridle/apps/data/file_share.hpp"
#include "bridle/io/csv.hpp"

namespace bridle {

// The positive class as a user names it. A numeric target needs a number; where there are two values, the
// larger one goes without saying.
struct PositiveClass {
  std::optional<std::string> text = {};
  std::optional<double> number = {};
  std::string option = {};  // what a user knows it by: "--positive", "the key positive"
  // A label may carry a full stop at its end that its class has not, as in the UCI repository's Adult test
  // file.
  bool full_stop_may_differ = false;
};

struct Target {
  std::string column = {};
  bool numeric = false;
  double positive_number = 0;  // numeric targets
  Names classes = {};          // as text, the positive one first
  bool full_stop_may_differ = false;
  std::string note = {};  // where several values of a text became one class, or two are hardly different
};

// Throws InputError. With a share the classes are those of all processes.
Target find_target(const io::Table& table, const std::string& column, const PositiveClass& positive,
                   const FileShare* share = nullptr);
// The same for labels that are no column of a table.
Target numeric_target(std::span<const double> labels, const std::string& name, const std::string& file,
                      const PositiveClass& positive, const FileShare* share = nullptr);

// +1 for the positive class, -1 for the others. Throws InputError for labels that the target has not.
Vector labels_of(const io::Table& table, const Target& target);
Vector labels_of(std::span<const double> labels, const Target& target);

}  // namespace bridle
