// What is shown while data is read.
#include "bridle/report/loading.hpp"

#include <gtest/gtest.h>

namespace bridle {
namespace {

TEST(Loading, SaysHowMuchHowFastAndHowLong) {
  EXPECT_EQ(loading_text({.bytes = 500'000'000, .lines = 12345, .share = 0.25, .seconds = 5}),
            "reading     500 MB, 12345 rows, 100 MB/s, 25%, about 15 s left");
  EXPECT_EQ(loading_text({.seconds = 2, .piped = 10000000}), "reading     10 MB out of a pipe, 5 MB/s");
  EXPECT_EQ(loading_text({.bytes = 3'000'000, .lines = 7, .share = 0, .seconds = 1}),
            "reading     3 MB, 7 rows, 3 MB/s");
}

TEST(Loading, ShortOnesAreNotShown) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  { const LoadingScreen screen(file); }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace bridle
