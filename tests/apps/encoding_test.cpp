// Tables to the columns of a linear model.
#include "bridle/apps/data/encoding.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

// So many rows that their memory is given back in pieces; `categories` decides whether the result is sparse.
io::Table large_table(int categories) {
  constexpr Index rows = 200'000;
  io::Table table{"made up", std::vector<io::Column>(3), rows};
  table.columns[0].name = "number", table.columns[0].numeric = true;
  table.columns[1].name = "kind";
  table.columns[2].name = "target", table.columns[2].numeric = true;
  for (int k = 0; k < categories; ++k) table.columns[1].categories.push_back("k" + std::to_string(k));
  for (Index i = 0; i < rows; ++i) {
    table.columns[0].numbers.push_back(0.5 * static_cast<double>(i));
    table.columns[1].codes.push_back(static_cast<std::int32_t>(i % categories));
    table.columns[2].numbers.push_back(static_cast<double>(i % 2));
  }
  return table;
}

TEST(Encoding, DroppedOnTheWayIsTheSame) {
  for (const int categories : {2, 30}) {
    io::Table table = large_table(categories);
    const Encoding encoding = make_encoding(table, {.exclude = {"target"}, .standardise = true});
    const Features kept = encode(encoding, table), dropped = encode_and_drop(encoding, table);
    EXPECT_EQ(kept.sparse(), categories == 30);
    ASSERT_EQ(dropped.rows(), kept.rows());
    Vector x = Vector::LinSpaced(kept.columns(), -1, 2);
    for (Index i = 0; i < kept.rows(); ++i) ASSERT_EQ(dropped.dot(i, x), kept.dot(i, x)) << i;
    EXPECT_TRUE(table.columns[0].numbers.empty());
    EXPECT_TRUE(table.columns[1].codes.empty());
    EXPECT_EQ(table.columns[2].numbers, large_table(categories).columns[2].numbers);
  }
}

}  // namespace
}  // namespace bridle
