// Files appear whole or not at all, nobody else's file is written to, and nothing is left behind.
#include "bridle/core/atomic_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridle/core/file_lock.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest()
      : folder_(fs::path(testing::TempDir()) /
                ("bridle_atomic_" + std::to_string(getpid()) +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void make(const std::string& name, const std::string& text) const { std::ofstream(at(name)) << text; }
  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.insert(entry.path().filename().string());
    return out;
  }
  static void write_whole(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.put_in_place();
  }

  const fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsWhenToldAndGoesOn) {
  make("out", "old");
  {
    AtomicFile file(at("out"));
    file.write("new");
    file.flush();
    EXPECT_EQ(content("out"), "old");
    file.put_in_place();
    EXPECT_EQ(content("out"), "new");
    file.write(" and more");
    file.flush();
    EXPECT_EQ(content("out"), "new and more");
    file.write(", to the end");
  }
  EXPECT_EQ(content("out"), "new and more, to the end");
  EXPECT_EQ(names(), std::set<std::string>{"out"});
}

TEST_F(AtomicFileTest, LargeTextsKeepTheirOrder) {
  std::string expected;
  AtomicFile file(at("out"));
  for (const std::size_t size : {std::size_t{1}, std::size_t{65535}, std::size_t{200'000}, std::size_t{3}}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    file.write(piece);
    expected += piece;
  }
  file.put_in_place();
  EXPECT_TRUE(content("out") == expected);
}

TEST_F(AtomicFileTest, GivenUpLeavesTheOldFile) {
  make("out", "old");
  {
    AtomicFile file(at("out"));
    file.write(std::string(100'000, 'x'));
  }
  EXPECT_EQ(content("out"), "old");
  EXPECT_EQ(names(), std::set<std::string>{"out"});
}

// Somebody who guesses names and lays links cannot have another file of ours overwritten.
TEST_F(AtomicFileTest, PlantedLinksAreNotFollowed) {
  make("victim", "precious");
  fs::create_symlink("victim", at("out.new"));
  std::string seen;  // the pattern of names, to plant the next hundred
  {
    const AtomicFile file(at("out"));
    for (const auto& name : names())
      if (name != "victim" && name != "out.new") seen = name;
  }
  const auto dash = seen.find('-');
  ASSERT_NE(dash, std::string::npos) << seen;
  const int number = std::stoi(seen.substr(dash + 1));
  for (int k = 1; k <= 100; ++k)
    fs::create_symlink("victim", at(seen.substr(0, dash + 1) + std::to_string(number + k) + ".new"));
  const std::size_t before = names().size();
  write_whole(at("out"), "text");
  EXPECT_EQ(content("victim"), "precious");
  EXPECT_EQ(content("out"), "text");
  EXPECT_FALSE(fs::is_symlink(at("out")));
  EXPECT_EQ(names().size(), before + 1) << "the planted links stay, nothing else is left";
}

TEST_F(AtomicFileTest, WritersDoNotCollide) {
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int k = 0; k < 2; ++k) files.push_back(std::make_unique<AtomicFile>(at("out")));
  files[0]->write("first");
  files[1]->write("second, longer");
  files[1]->put_in_place();
  EXPECT_EQ(content("out"), "second, longer");
  files[0]->put_in_place();
  EXPECT_EQ(content("out"), "first");
  files.clear();
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back(
        [&, k] { write_whole(at("many"), std::string(100'000, static_cast<char>('a' + k))); });
  for (auto& thread : threads) thread.join();
  const std::string left = content("many");
  EXPECT_EQ(left, std::string(100'000, left.at(0))) << "one writer's text, whole";
  EXPECT_EQ(names(), (std::set<std::string>{"many", "out"}));
}

TEST_F(AtomicFileTest, LinksAreFollowedToTheirFile) {
  fs::create_directory(at("inner"));
  make("inner/file", "old");
  fs::create_symlink("inner/file", at("middle"));
  fs::create_symlink("middle", at("link"));
  write_whole(at("link"), "new");
  EXPECT_EQ(content("inner/file"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")) && fs::is_symlink(at("middle")));
  fs::create_symlink("inner/later", at("early"));  // leads to nothing yet
  write_whole(at("early"), "text");
  EXPECT_EQ(content("inner/later"), "text");
  EXPECT_TRUE(fs::is_symlink(at("early")));
  fs::create_symlink("circle", at("circle"));
  test::expect_contains(test::refusal([&] { write_whole(at("circle"), "x"); }),
                        "circle: cannot write: Too many levels of symbolic links");
}

TEST_F(AtomicFileTest, FailuresTellTheSystemsReason) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{5000}, std::size_t{1'000'000}})
    EXPECT_EQ(test::refusal([&] { write_whole("/dev/full", std::string(size, 'x')); }),
              "/dev/full: cannot write: No space left on device");
  AtomicFile once("/dev/full");
  once.write("x");
  EXPECT_THROW(once.flush(), InputError);
  EXPECT_EQ(test::refusal([&] { once.put_in_place(); }), "/dev/full: cannot write: No space left on device")
      << "a failure is not forgotten";
  EXPECT_EQ(test::refusal([&] { AtomicFile("/no/such/folder/file", "cannot save"); }),
            "/no/such/folder/file: cannot save: No such file or directory");
  EXPECT_EQ(test::refusal([&] { AtomicFile{folder_.string()}; }),
            folder_.string() + ": cannot write: it is a folder");
  make("out", "old");
  {
    AtomicFile file(at("out"));
    file.write("new");
    fs::remove(at("out"));
    fs::create_directory(at("out"));  // what cannot be replaced by a file
    test::expect_contains(test::refusal([&] { file.put_in_place(); }), "out: cannot write: Is a directory");
  }
  EXPECT_EQ(names(), std::set<std::string>{"out"});
}

TEST_F(AtomicFileTest, DevicesAreWrittenInPlace) {
  write_whole("/dev/null", "text");
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content("pipe"); });
  write_whole(at("pipe"), "through the pipe");
  reader.join();
  EXPECT_EQ(read, "through the pipe");
  EXPECT_EQ(names(), std::set<std::string>{"pipe"});
}

TEST_F(AtomicFileTest, NamesAndModesAreOrdinary) {
  const mode_t usual = umask(027);
  const std::string longest(251, 'n');
  write_whole(at(longest), "text");
  umask(usual);
  EXPECT_EQ(content(longest), "text");
  EXPECT_EQ(fs::status(at(longest)).permissions(), fs::perms(0640));
  EXPECT_EQ(names(), std::set<std::string>{longest});
}

// A lock must not outlive a process that ends without unwinding, and afterwards the name is nobody's.
TEST_F(AtomicFileTest, LocksAreRemovedWithWhatIsUnfinished) {
  const fs::path lock = folder_ / "state.lock";
  {
    const FileLock held((folder_ / "state").string());
    ASSERT_TRUE(fs::exists(lock));
    remove_unfinished_files();
    EXPECT_FALSE(fs::exists(lock));
  }
  std::ofstream(lock) << "another's";
  remove_unfinished_files();
  EXPECT_TRUE(fs::exists(lock));
}

}  // namespace
}  // namespace bridle
