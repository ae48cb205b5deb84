#include <limits>

#include <gtest/gtest.h>

#include "bridle/core/error.hpp"
#include "bridle/mpi/waiting.hpp"

namespace bridle {
namespace {

// MPI counts in int. Counts are products of Index: 70,000 variables on each of 40,000 nodes are more than
// that.
TEST(MessageSize, IsRefusedWhereAnIntWouldWrap) {
  EXPECT_EQ(message_size(Index{40'000} * 50'000), 2'000'000'000);
  EXPECT_EQ(message_size(std::numeric_limits<int>::max()), std::numeric_limits<int>::max());
  EXPECT_THROW(message_size(Index{std::numeric_limits<int>::max()} + 1), InputError);
  EXPECT_THROW(message_size(Index{70'000} * 40'000), InputError);
}

}  // namespace
}  // namespace bridle
