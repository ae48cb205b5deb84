#include "bridle/core/name_list.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

TEST(NameList, NamesWithCommasAreQuoted) {
  EXPECT_EQ(split_list("a,b", "--keep"), (Names{"a", "b"}));
  EXPECT_EQ(split_list("\"a,b\",c", "--keep"), (Names{"a,b", "c"}));
  EXPECT_EQ(split_list("c,\"say \"\"a,b\"\"\"", "--keep"), (Names{"c", "say \"a,b\""}));
  EXPECT_EQ(split_list("5\" pipe,\"\"", "--keep"), (Names{"5\" pipe", ""}));
  EXPECT_EQ(split_list("", "--keep"), (Names{""}));
  EXPECT_EQ(split_list("a,,b,", "--keep"), (Names{"a", "", "b", ""}));
}

TEST(NameList, MistakesAreRefused) {
  for (const auto& [text, why] : {std::pair{"\"a,b", "a quote is not closed"},
                                  {"\"", "a quote is not closed"},
                                  {"\"a,b\"c", "text follows a closing quote"}})
    try {
      split_list(text, "--keep");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find(std::string("--keep '") + text + "': " + why), 0U)
          << error.what();
    }
}

TEST(NameList, ArgumentsAreQuotedWhereTheyNeedIt) {
  EXPECT_EQ(as_argument("education-num"), "education-num");
  EXPECT_EQ(as_argument("a,b"), "'\"a,b\"'");
  EXPECT_EQ(as_argument("credit amount"), "'credit amount'");
  EXPECT_EQ(as_argument("it's $5"), "'it'\\''s $5'");
  EXPECT_EQ(as_argument("\"quoted\""), "'\"\"\"quoted\"\"\"'");
  EXPECT_EQ(as_argument(""), "''");
}

}  // namespace
}  // namespace bridle
