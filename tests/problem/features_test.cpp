#include "bridle/problem/objectives/features.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

SparseRows some_rows() {
  SparseRows out(3, 4);
  out.insert(0, 1) = 2;
  out.insert(2, 3) = -1;
  return out;
}

const double* values_of(const Features& features) {
  return std::get<SparseRows>(features.storage()).valuePtr();
}

// A copy of a large data set would double the memory of a run.
TEST(Features, SparseDataIsMovedNotCopied) {
  SparseRows rows = some_rows();
  rows.makeCompressed();
  const double* values = rows.valuePtr();
  Features first(std::move(rows));
  EXPECT_EQ(values_of(first), values);
  Features second(std::move(first));
  EXPECT_EQ(values_of(second), values);
  Features third(DenseRows<double>(DenseRows<double>::Ones(1, 1)));
  third = std::move(second);
  EXPECT_EQ(values_of(third), values);
  EXPECT_EQ(third.rows(), 3);
  EXPECT_EQ(third.dot(2, Vector::Ones(4)), -1);
}

TEST(Features, CopiesAreIndependent) {
  const Features first(some_rows());
  const Features second = first;
  EXPECT_NE(values_of(first), values_of(second));
  EXPECT_EQ(second.dot(0, Vector::Ones(4)), 2);
  const SparseRows rows = some_rows();
  EXPECT_EQ(Features(rows).rows(), rows.rows());
}

}  // namespace
}  // namespace bridle
