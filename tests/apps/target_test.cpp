// Labels of a classifier, for problem files and fair classifiers alike.
#include "bridle/apps/data/target.hpp"

#include <gtest/gtest.h>

#include "tests/properties.hpp"

namespace bridle {
namespace {

io::Table table_of(const io::Column& column, Index rows) {
  io::Table out;
  out.file = "data.csv";
  out.columns = {column};
  out.rows = rows;
  return out;
}

const io::Table words =
    table_of({.name = "income", .codes = {0, 1, 2, 1}, .categories = {"low", "high", "high."}}, 4);

TEST(Target, AFullStopCountsUnlessItMayDiffer) {
  const Target strict = find_target(words, "income", {.text = "high"});
  EXPECT_EQ(strict.classes, (Names{"high", "low", "high."}));
  EXPECT_EQ(labels_of(words, strict), test::vec(-1, 1, -1, 1));
  const Target lenient = find_target(words, "income", {.text = "high.", .full_stop_may_differ = true});
  EXPECT_EQ(lenient.classes, (Names{"high", "low"}));
  EXPECT_EQ(labels_of(words, lenient), test::vec(-1, 1, 1, 1));
}

std::string note_of(const std::vector<std::int32_t>& codes, const Names& categories) {
  const io::Column column{.name = "y", .codes = codes, .categories = categories};
  return find_target(table_of(column, static_cast<Index>(codes.size())), "y", {.text = "yes"}).note;
}

TEST(Target, ValuesThatBecomeOneClassAreTold) {
  EXPECT_EQ(note_of({0, 1, 0}, {"no", "yes"}), "");
  EXPECT_EQ(note_of({0, 1, 2, 2}, {"no", "yes", "maybe"}),
            "target 'y': counted as not 'yes': 2 'maybe', 1 'no'");
  EXPECT_EQ(note_of({0, 1}, {"yes", " YES"}),
            "target 'y': 'yes' and ' YES' differ only in case or in blanks around them");
  EXPECT_EQ(note_of({0, 1, 2, 0}, {"no", "yes", "Yes"}),
            "target 'y': counted as not 'yes': 2 'no', 1 'Yes'; 'yes' and 'Yes' differ only in case or in "
            "blanks around them");
  EXPECT_EQ(note_of({0, 1, 2, 3, 4, 5, 6, 7, 7}, {"yes", "a", "b", "c", "d", "e", "f", "g"}),
            "target 'y': counted as not 'yes': 2 'g', 1 'a', 1 'b', 1 'c', 1 'd' and 2 of 2 other values");
}

TEST(Target, OfNumbersTheLargerOfTwoOrTheOneThatIsAskedFor) {
  const std::vector<double> two = {3, 1, 3}, three = {3, 1, 2};
  EXPECT_EQ(labels_of(two, numeric_target(two, "y", "f", {})), test::vec(1, -1, 1));
  EXPECT_EQ(labels_of(two, numeric_target(two, "y", "f", {.number = 1})), test::vec(-1, 1, -1));
  const Target among_three = numeric_target(three, "y", "f", {.text = "2", .number = 2});
  EXPECT_EQ(labels_of(three, among_three), test::vec(-1, -1, 1));
  EXPECT_EQ(among_three.classes, (Names{"2", "1", "3"}));
}

// However many values there are, the one that is asked for is found, and the others are not all kept.
TEST(Target, OfManyNumbers) {
  std::vector<double> many;
  for (int k = 0; k < 1000; ++k) many.push_back(k);
  const Target last = numeric_target(many, "y", "f", {.number = 999});
  EXPECT_LT(last.classes.size(), 100U);
  EXPECT_EQ(labels_of(many, last).sum(), -998);
  test::expect_contains(
      test::refusal([&] { numeric_target(many, "y", "f", {.option = "--positive"}); }),
      "f: target 'y' has more than 50 values; a classification loss needs two, or --positive");
}

// Labels of other data: numbers and words alike.
TEST(Target, LabelsThatTheTrainingDataHasNotAreRefused) {
  const auto numbers = [](std::vector<double> values) {
    const auto rows = static_cast<Index>(values.size());
    return table_of({.name = "y", .numeric = true, .numbers = std::move(values)}, rows);
  };
  const Target target = find_target(numbers({1, 2, 2}), "y", {});
  EXPECT_EQ(labels_of(numbers({2, 1}), target), test::vec(1, -1));
  EXPECT_EQ(test::refusal([&] {
              labels_of(numbers({2, 3}), target);
            }),
            "data.csv: target 'y' has the value '3', which the training data has not (2, 1)");
  std::vector<double> many;
  for (int k = 0; k < 1000; ++k) many.push_back(k);
  EXPECT_EQ(labels_of(numbers({999, 5000}), find_target(numbers(many), "y", {.number = 999})),
            test::vec(1, -1));
}

TEST(Target, MistakesAreToldInTheUsersWords) {
  const auto refusal_of = [](const std::vector<double>& numbers, const PositiveClass& positive) {
    return test::refusal([&] { numeric_target(numbers, "y", "f", positive); });
  };
  EXPECT_EQ(refusal_of({1, 1}, {}), "f: target 'y' has one class only");
  EXPECT_EQ(refusal_of({1, 2}, {.text = "1"}),
            "f: target 'y' is numeric, but the positive class is the text '1'");
  EXPECT_EQ(refusal_of({1, 2}, {.number = 7}), "f: no row has target 'y' = 7");
  EXPECT_EQ(refusal_of({1, 2, 3}, {.option = "the key positive"}),
            "f: target 'y' has 3 values; a classification loss needs two, or the key positive");
  EXPECT_EQ(
      test::refusal([] { find_target(words, "income", {.option = "--positive"}); }),
      "data.csv: target 'income' is text: --positive must say which of its values is positive (low, high, "
      "high.)");
  test::expect_contains(test::refusal([] { find_target(words, "income", {.text = "hihg"}); }),
                        "no row has target 'income' = 'hihg'; did you mean 'high'?");
}

}  // namespace
}  // namespace bridle
