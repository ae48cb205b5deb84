// What a fair classifier is trained and judged on: encoded features, labels, groups of people.
#pragma once

#include <vector>

#include "bridle/apps/data/encoding.hpp"
#include "bridle/apps/data/target.hpp"
#include "bridle/apps/fair/missing_values.hpp"
#include "bridle/io/csv.hpp"

namespace bridle {

// The samples a covariance is taken over: all, one class of the target, or those with a value in a column.
struct Condition {
  enum class Kind { all, positive, negative, value };
  Kind kind = Kind::all;
  std::string column, value;  // of kind value

  std::string name() const;  // "all", "positive", "negative" or COLUMN=VALUE
};
// Reads what name() writes; throws InputError.
Condition parse_condition(const std::string& text);

// What a user says about the data.
struct DataStatement {
  std::string target, positive;
  Names sensitive;
  std::vector<Condition> conditions = {Condition{}};
  bool intersections = false;       // of the sensitive columns are groups too
  bool sensitive_features = false;  // sensitive columns are features too
  bool standardise = true;
  bool impute = false;    // otherwise rows with missing values are dropped
  std::string weights;    // column with the weights of rows in training; empty: all the same
  bool balanced = false;  // both classes weigh the same in all
  Names keep;             // features even if nearly every row has a value of its own
  io::CsvOptions csv = {.missing_values = usual_missing_values(), .separator = io::find_separator};

  static Names usual_missing_values() { return {"?", "NA", "N/A", "null", "NULL", "nan", "NaN"}; }
};

// A sensitive column. Text, and numbers with two values, are groups; other numbers are taken as they are for
// the covariance and cut at the training data's median for the figures per group.
struct Attribute {
  std::string name;
  bool numeric = false;
  std::vector<double> numbers;      // if numeric
  double median = 0;                // if numeric: of the training data
  Names groups;                     // the training data's first, in order
  std::vector<std::int32_t> codes;  // group of each sample
  std::size_t trained_groups = 0;   // how many of the groups the training data has
};

// A group for every number, in the order in which they come; further groups are added to those there are.
void group_by_values(Attribute& attribute, const std::vector<double>& numbers);

struct FairData {
  std::string file;
  Index dropped_rows = 0, imputed = 0, unseen = 0;
  Features features;
  Vector labels;
  std::vector<Attribute> attributes;
  std::vector<std::vector<bool>> kept;  // per condition: the samples it keeps
  Vector weights = {};                  // in training; empty: all the same

  Index samples() const { return labels.size(); }
};

struct TrainingData {
  FairData data;
  Encoding encoding;
  Target target;
  std::vector<Fill> fills;
  Names notes = {};  // about columns, for the user
};

TrainingData read_training(const std::string& file, const DataStatement& statement);
// Of a table that is there already.
TrainingData training_from(io::Table table, const DataStatement& statement);
// With the encoding, the target's classes and the groups of the training data.
FairData read_test(const std::string& file, const DataStatement& statement, const TrainingData& training);

}  // namespace bridle
