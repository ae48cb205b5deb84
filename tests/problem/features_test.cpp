#include "bridle/problem/objectives/features.hpp"

#include <memory>

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
  return std::get<SparseView>(features.storage()).valuePtr();
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

// Processes that share passes over chosen rows each copy their own: numbers of rows stay as they are.
TEST(Features, OfChosenRowsSomeAreCopied) {
  const std::vector<Index> rows = {2, 0, 2, 1};
  const Features all(some_rows()), some = all.part(rows, 1, 3);
  EXPECT_EQ(some.rows(), 4);
  EXPECT_EQ(some.entries(), 2);
  EXPECT_EQ(all.entries_of(rows), 3) << "of all of them";
  EXPECT_EQ(some.dot(1, Vector::Ones(4)), 2);
  EXPECT_EQ(some.dot(2, Vector::Ones(4)), -1);
  const DenseRows<double> numbers = some_rows();
  const Features dense(numbers), some_dense = dense.part(rows, 1, 3);
  EXPECT_EQ(some_dense.rows(), 4);
  EXPECT_EQ(dense.entries_of(rows), 16);
  EXPECT_EQ(some_dense.dot(1, Vector::Ones(4)), 2);
  EXPECT_EQ(some_dense.dot(2, Vector::Ones(4)), -1);
}

TEST(Features, CopiesShareTheMemoryAndOutliveEachOther) {
  auto first = std::make_unique<Features>(some_rows());
  const double* values = values_of(*first);
  const Features second = *first;
  first.reset();
  EXPECT_EQ(values_of(second), values);
  EXPECT_EQ(second.dot(0, Vector::Ones(4)), 2);
  const SparseRows rows = some_rows();
  EXPECT_EQ(Features(rows).rows(), rows.rows());
}

TEST(Features, WhatWasMovedFromIsEmpty) {
  Features first(some_rows());
  const Features second(std::move(first));
  EXPECT_EQ(first.rows(), 0);
  EXPECT_EQ(second.rows(), 3);
}

// Data that a program in another language has in memory is neither copied nor freed.
TEST(Features, ViewsOfMemoryThatSomebodyElseOwns) {
  const double dense[] = {1, 2, 3, 4, 5, 6};
  const double values[] = {1, 2, 3};
  const int columns[] = {0, 2, 1}, starts[] = {0, 2, 3};
  bool released = false;
  {
    const std::shared_ptr<const void> owner(&released,
                                            [](const bool* flag) { *const_cast<bool*>(flag) = true; });
    const Features rows(DenseView<double>(dense, 2, 3), owner);
    EXPECT_EQ(std::get<DenseView<double>>(rows.storage()).data(), dense);
    EXPECT_EQ(rows.dot(1, Vector{{1, 10, 100}}), 4 + 50 + 600);
    const Features sparse(SparseView(values, columns, starts, 2, 3), owner);
    EXPECT_EQ(values_of(sparse), values);
    EXPECT_EQ(sparse.dot(0, Vector{{1, 10, 100}}), 201);
    EXPECT_EQ(sparse.entries(), 3);
    EXPECT_EQ(sparse.part({1}).dot(0, Vector{{1, 10, 100}}), 30);
  }
  EXPECT_TRUE(released);
}

}  // namespace
}  // namespace bridle
