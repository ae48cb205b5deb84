#include "bridle/core/nearest.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

TEST(Nearest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("Age", "age"), 0U);
  EXPECT_EQ(edit_distance("aeg", "age"), 1U);
}

TEST(Nearest, Suggestion) {
  const Names names = {"age", "workclass", "education", "education-num"};
  EXPECT_EQ(nearest("agee", names), "age");
  EXPECT_EQ(nearest("education_num", names), "education-num");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(did_you_mean("wrokclass", names), "; did you mean 'workclass'?");
  EXPECT_NE(did_you_mean("zzzzzzzz", names).find("known names: age, workclass"), std::string::npos);
  EXPECT_EQ(did_you_mean("x", {}), "");
  const std::string wild = did_you_mean("x", {std::string(5000, 'y'), "two\nlines"});
  EXPECT_LT(wild.size(), 200U);
  EXPECT_EQ(wild.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace bridle
