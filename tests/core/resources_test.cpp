// Threads, memory and locks where there are none to be had.
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bridle/core/error.hpp"
#include "bridle/core/file_lock.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/threads.hpp"

namespace bridle {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool instrumented = true;  // takes all addresses there are, so that they cannot be limited
#else
constexpr bool instrumented = false;
#endif

// In a process of its own: from now on there are `more` bytes of addresses.
void limit_addresses(double more) {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages;
  const auto bytes = static_cast<rlim_t>(pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) + more);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
}

TEST(Threads, ThatCannotBeMadeAreDoneWithout) {
  if (instrumented) GTEST_SKIP() << "addresses cannot be limited";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        limit_addresses(20e6);  // a stack takes 8 MB
        std::atomic<int> done{0};
        in_parallel(1000, 64, [&](std::size_t) { ++done; });
        std::_Exit(done == 1000 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Threads, AreNeverMoreThanProcessors) {
  EXPECT_EQ(threads_asked_for(0), processors());
  EXPECT_EQ(threads_asked_for(1), 1U);
  EXPECT_EQ(threads_asked_for(4'000'000'000U), processors());
}

TEST(Memory, IsAskedForBeforeItIsTaken) {
  EXPECT_GT(free_memory(), 0);
  EXPECT_NO_THROW(require_memory(1e3, "", "a little"));
  try {
    require_memory(1e18, "data.csv", "the table");
    FAIL() << "no machine has that much";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("data.csv: the table needs about 1000 PB of memory, and ", 0), 0U) << text;
  }
}

TEST(Memory, IsCountedWithinTheLimitsOfTheProcess) {
  if (instrumented) GTEST_SKIP() << "addresses cannot be limited";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        limit_addresses(100e6);
        std::_Exit(free_memory() <= 100e6 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Memory, InWords) {
  EXPECT_EQ(bytes_in_words(12), "12 bytes");
  EXPECT_EQ(bytes_in_words(4.83e9), "4.8 GB");
  EXPECT_EQ(bytes_in_words(2.5e5), "250 kB");
}

TEST(FileLock, IsHeldByOneAndLeavesNothing) {
  const std::string path = testing::TempDir() + "bridle_lock_" + std::to_string(::getpid());
  {
    const FileLock first(path);
    EXPECT_THROW(FileLock second(path), InputError);
    EXPECT_TRUE(std::filesystem::exists(path + ".lock"));
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  std::ofstream(path + ".lock") << "left by a run that was killed";
  EXPECT_NO_THROW(FileLock third(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

}  // namespace
}  // namespace bridle
