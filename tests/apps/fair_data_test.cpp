#include "bridle/apps/fair/fair_data.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/apps/people.hpp"
#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::people_csv;
using testing::write_file;

DataStatement about_people() {
  DataStatement out;
  out.target = "income";
  out.positive = "high";
  out.sensitive = {"sex"};
  return out;
}

std::string refusal(const std::string& file, const DataStatement& statement) {
  try {
    read_training(file, statement);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FairData, SensitiveColumnsAreNoFeaturesUnlessAsked) {
  const std::string file = write_file("people.csv", people_csv());
  DataStatement statement = about_people();
  const Names names = read_training(file, statement).encoding.names;
  EXPECT_EQ(names, (Names{"hours", "education", "town.north", "town.south", "race.a", "race.b", "race.c",
                          "intercept"}));
  statement.sensitive_features = true;
  EXPECT_EQ(read_training(file, statement).encoding.width(), 10);
}

TEST(FairData, MissingValuesAreDroppedOrImputed) {
  const std::string file = write_file("gaps.csv", people_csv(400, true));
  DataStatement statement = about_people();
  const FairData dropped = read_training(file, statement).data;
  EXPECT_EQ(dropped.samples() + dropped.dropped_rows, 400);
  EXPECT_EQ(dropped.imputed, 0);
  statement.impute = true;
  const TrainingData imputed = read_training(file, statement);
  EXPECT_EQ(imputed.data.samples(), 400);
  EXPECT_EQ(imputed.data.imputed, 57 + 36);  // i = 3 mod 7 and i = 5 mod 11 below 400
  const Fill& hours = imputed.fills.at(0);
  EXPECT_EQ(hours.column, "hours");
  // A value filled with the mean is zero once standardised.
  EXPECT_NEAR(imputed.data.features.dot(3, Vector::Unit(imputed.encoding.width(), 0)), 0, 1e-12);
}

TEST(FairData, RowsWithoutATargetOrGroupAreDroppedEvenWhenImputing) {
  const std::string file = write_file("holes.csv", "a,sex,y\n1,f,1\n2,?,0\n3,m,\n?,m,0\n5,f,0\n");
  DataStatement statement;
  statement.target = "y";
  statement.sensitive = {"sex"};
  statement.impute = true;
  const TrainingData data = read_training(file, statement);
  EXPECT_EQ(data.data.samples(), 3);
  EXPECT_EQ(data.data.dropped_rows, 2);
  EXPECT_EQ(data.data.imputed, 1);
}

TEST(FairData, LabelsMayEndWithAFullStop) {
  const std::string train = write_file("train.csv", "a,sex,y\n1,f,>50K\n2,m,<=50K\n3,f,<=50K\n");
  const std::string test = write_file("test.csv", "a,sex,y\n1,f,>50K.\n2,m,<=50K.\n");
  DataStatement statement;
  statement.target = "y";
  statement.positive = ">50K";
  statement.sensitive = {"sex"};
  const TrainingData training = read_training(train, statement);
  const FairData data = read_test(test, statement, training);
  EXPECT_EQ(data.labels[0], 1);
  EXPECT_EQ(data.labels[1], -1);
  const std::string other = write_file("other.csv", "a,sex,y\n1,f,rich\n2,m,<=50K.\n");
  EXPECT_THROW(read_test(other, statement, training), InputError);
}

TEST(FairData, TestDataKeepsTheGroupsOfTheTrainingData) {
  const std::string train = write_file("train.csv", "a,race,town,y\n1,x,s,1\n2,y,n,0\n3,z,s,0\n");
  const std::string test = write_file("test.csv", "a,race,town,y\n1,z,s,1\n2,new,far,0\n");
  DataStatement statement;
  statement.target = "y";
  statement.sensitive = {"race"};
  const TrainingData training = read_training(train, statement);
  const FairData data = read_test(test, statement, training);
  EXPECT_EQ(data.attributes[0].groups, (Names{"x", "y", "z", "new"}));
  EXPECT_EQ(data.attributes[0].codes, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(data.unseen, 1);  // the town
}

TEST(FairData, NumericAttributesAreCutAtTheMedianForTheFiguresPerGroup) {
  const std::string file = write_file("ages.csv", "age,b,y\n20,1,1\n30,2,0\n40,3,0\n50,4,1\n60,5,1\n");
  DataStatement statement;
  statement.target = "y";
  statement.sensitive = {"age"};
  const Attribute age = read_training(file, statement).data.attributes[0];
  EXPECT_TRUE(age.numeric);
  EXPECT_EQ(age.median, 40);
  EXPECT_EQ(age.codes, (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
}

TEST(FairData, WhatIsRefused) {
  const std::string file = write_file("people.csv", people_csv());
  DataStatement s = about_people();
  s.sensitive = {"sexx"};
  EXPECT_NE(refusal(file, s).find("'sex'"), std::string::npos) << refusal(file, s);
  s.sensitive = {"income"};
  EXPECT_NE(refusal(file, s).find("is the target itself"), std::string::npos);
  s.sensitive = {"sex", "sex"};
  EXPECT_NE(refusal(file, s).find("twice"), std::string::npos);
  s = about_people();
  s.positive = "hihg";
  EXPECT_NE(refusal(file, s).find("'high'"), std::string::npos) << refusal(file, s);
  s.positive = "";
  EXPECT_NE(refusal(file, s).find("--positive"), std::string::npos);
  const std::string constant = write_file("constant.csv", "a,sex,y\n1,f,1\n2,f,0\n");
  s.target = "y";
  EXPECT_NE(refusal(constant, s).find("is constant"), std::string::npos);
  const std::string one_class = write_file("one.csv", "a,sex,y\n1,f,1\n2,m,1\n");
  EXPECT_NE(refusal(one_class, s).find("one class only"), std::string::npos);
  EXPECT_THROW(parse_condition("posit"), InputError);
}

}  // namespace
}  // namespace bridle
