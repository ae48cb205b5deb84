#include "bridle/io/line_reader.hpp"

#include <thread>

#include <sys/stat.h>

#include "bridle/core/input_file.hpp"
#include "bridle/core/types.hpp"

#include "tests/io/files.hpp"

namespace bridle::io {
namespace {

using bridle::testing::error_of;
using bridle::testing::gzip;
using bridle::testing::write_file;

Names lines_of(const std::string& path) {
  LineReader reader(path);
  Names lines;
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line(), static_cast<long>(lines.size()));
  }
  return lines;
}

std::string numbered_lines(long count) {
  std::string text;
  for (long i = 0; i < count; ++i) text += "line " + std::to_string(i * 7919 % 10007) + "\n";
  return text;
}

TEST(LineReader, LineEnds) {
  EXPECT_EQ(lines_of(write_file("a", "one\ntwo\r\n\nlast")), (Names{"one", "two", "", "last"}));
  EXPECT_EQ(lines_of(write_file("b", "one\n")), (Names{"one"}));
  EXPECT_EQ(lines_of(write_file("c", "")), Names{});
  EXPECT_EQ(lines_of(write_file("d", "\n\n")), (Names{"", ""}));
  EXPECT_EQ(lines_of(write_file("e", "\xEF\xBB\xBFone\ntwo")), (Names{"one", "two"}));
}

TEST(LineReader, LinesAcrossBuffers) {
  // Lines of many lengths, some longer than the buffer of 1 MiB.
  std::string text;
  Names expected;
  for (const std::size_t length :
       {10UL, 1048570UL, 20UL, 3000000UL, 1048576UL, 1048575UL, 1UL, 524288UL, 5UL}) {
    expected.emplace_back(length, static_cast<char>('a' + expected.size()));
    text += expected.back() + (expected.size() % 2 == 0 ? "\r\n" : "\n");
  }
  EXPECT_EQ(lines_of(write_file("plain", text)), expected);
  EXPECT_EQ(lines_of(write_file("packed.gz", gzip(text))), expected);
}

// However many parts there are, and wherever their ends fall: every line is read once, in its place.
TEST(LineReader, PartsOfAFileShareItsLinesOut) {
  const std::string long_line(3'000'000, 'x');
  const Names texts = {"one\ntwo\r\n\nlast", "\n\n\n", numbered_lines(300), "\xEF\xBB\xBFone\ntwo\n",
                       "a\n" + long_line + "\nb\nc\n"};
  for (const std::string& text : texts) {
    const std::string path = write_file("whole", text);
    const Names expected = lines_of(path);
    for (const std::size_t parts : {1, 2, 3, 7, 40}) {
      Names found;
      for (std::size_t part = 0; part < parts; ++part) {
        LineReader reader(path, *part_of_file(path, part, parts));
        for (std::string_view line; reader.next(line);) {
          found.emplace_back(line);
          if (text.size() > 10'000) continue;
          EXPECT_EQ(reader.line_in_file(reader.line()), static_cast<long>(found.size()));
        }
      }
      EXPECT_EQ(found, expected) << parts << " parts of " << text.size() << " bytes";
    }
  }
  EXPECT_FALSE(part_of_file(write_file("packed", gzip("one\ntwo\n")), 0, 2));
  EXPECT_FALSE(part_of_file(write_file("named.gz", "one\ntwo\n"), 0, 2));
  EXPECT_FALSE(part_of_file("/dev/null", 0, 2));
}

TEST(LineReader, GzipIsKnownByContent) {
  EXPECT_EQ(lines_of(write_file("no_ending", gzip("one\ntwo\n"))), (Names{"one", "two"}));
  EXPECT_EQ(lines_of(write_file("two.gz", gzip("one\n") + gzip("two\n"))), (Names{"one", "two"}));
}

TEST(LineReader, GzipCutAnywhereIsRefused) {
  const std::string whole = gzip(numbered_lines(3000));
  ASSERT_GT(whole.size(), 4000U);
  for (std::size_t length = 0; length < whole.size();
       length += (length < 64 || length + 64 > whole.size()) ? 1 : 37) {
    const std::string path = write_file("cut.gz", whole.substr(0, length));
    EXPECT_EQ(error_of([&] { lines_of(path); }), path + ": compressed data is truncated or damaged")
        << length;
  }
}

TEST(LineReader, LargeGzipCutIsRefused) {
  // More than one buffer of text: the first lines are handed out before the cut shows.
  const std::string whole = gzip(numbered_lines(400000));
  for (const double part : {0.2, 0.5, 0.9, 0.999}) {
    const auto length = static_cast<std::size_t>(part * static_cast<double>(whole.size()));
    const std::string path = write_file("cut.gz", whole.substr(0, length));
    EXPECT_NE(error_of([&] { lines_of(path); }).find("truncated or damaged"), std::string::npos) << part;
  }
}

TEST(LineReader, DamagedGzipIsRefused) {
  const std::string whole = gzip(numbered_lines(3000));
  // The first ten bytes are the header, of which several have no effect on the content.
  for (std::size_t i = 10; i < whole.size(); i += 97) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_NE(error_of([&, path = write_file("damaged.gz", damaged)] { lines_of(path); }), "") << i;
  }
}

TEST(LineReader, FilesThatCannotBeRead) {
  EXPECT_EQ(error_of([] { LineReader("/no/such/file"); }),
            "/no/such/file: cannot open: No such file or directory");
  EXPECT_EQ(error_of([] { LineReader("/tmp"); }), "/tmp: is a directory, not a file");
  const std::string plain = write_file("plain.gz", "not packed\n");
  EXPECT_EQ(error_of([&] { lines_of(plain); }), plain + ": is named .gz but does not hold gzip data");
}

TEST(LineReader, NulBytesAreRefusedWithTheirLine) {
  const std::string path = write_file("binary", std::string_view("one\ntwo\nth\0ree\n", 15));
  const std::string message = error_of([&] { lines_of(path); });
  EXPECT_TRUE(message.starts_with(path + ":3: has a NUL byte")) << message;
  EXPECT_EQ(error_of([&] { LineReader(path, *part_of_file(path, 1, 2)); }), message) << "of a part";
  std::string late = numbered_lines(200000);
  late += std::string("x\0y\n", 4);
  EXPECT_NE(error_of([&, file = write_file("late", late)] { lines_of(file); }).find(":200001: has a NUL"),
            std::string::npos);
}

TEST(LineReader, ExtrapolatesCounts) {
  const std::string text = numbered_lines(100000);
  for (const std::string& path : {write_file("plain", text), write_file("packed.gz", gzip(text))}) {
    LineReader reader(path);
    std::string_view line;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(reader.next(line));
    EXPECT_GE(reader.extrapolate(1000), 95000U) << path;
    EXPECT_LE(reader.extrapolate(1000), 125000U) << path;
  }
}

// A pipe gives what it has once; readers may look at it as often as they like.
TEST(LineReader, PipesAreKept) {
  const std::string path = write_file("pipe", "");
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string text = numbered_lines(30000);  // more than a pipe holds at a time
  std::thread writer([&] { std::ofstream(path) << text; });
  const Names first = lines_of(path);
  writer.join();
  EXPECT_EQ(first.size(), 30000U);
  EXPECT_EQ(lines_of(path), first);
  EXPECT_FALSE(was_read(path)) << "a pipe may be written to";
}

TEST(LineReader, FilesAreRememberedUnderAllTheirNames) {
  const std::string path = write_file("read", "text\n"), other = write_file("other", "text\n");
  const std::string link = path + ".link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(path, link);
  EXPECT_FALSE(was_read(link));
  read_text(path);
  EXPECT_TRUE(was_read(path));
  EXPECT_TRUE(was_read(link));
  EXPECT_FALSE(was_read(other));
}

TEST(LineReader, ReadText) { EXPECT_EQ(read_text(write_file("a.gz", gzip("one\r\ntwo"))), "one\ntwo\n"); }

}  // namespace
}  // namespace bridle::io
