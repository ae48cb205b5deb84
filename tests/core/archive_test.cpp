#include "bridle/core/archive.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/properties.hpp"

namespace bridle {
namespace {

struct Inner {
  double a = 0;
  std::string name;
  template <class Archive>
  void transfer(Archive& archive) {
    archive(a, name);
  }
};

enum class Colour { red, green, blue };
constexpr Colour last_value(Colour) { return Colour::blue; }

struct Outer {
  int i = 0;
  std::uint64_t u = 0;
  bool flag = false;
  Colour colour = Colour::red;
  Vector v, empty;
  std::vector<Inner> list;
  std::optional<Inner> some, none;
  std::vector<std::string> names;
  std::optional<Vector> maybe;
  template <class Archive>
  void transfer(Archive& archive) {
    archive(i, u, flag, colour, v, empty, list, some, none, names, maybe);
  }
};

Outer example() {
  Outer out;
  out.i = -5;
  out.u = ~0ULL;
  out.flag = true;
  out.colour = Colour::blue;
  out.v = Vector{{0.1, -0.0, infinity, std::nan(""), 5e-324}};
  out.list = {{1.5, "one"}, {2.5, ""}};
  out.some = Inner{-3, std::string("a\0b", 3)};
  out.names = {"x", "", std::string(300, 'y')};
  out.maybe = Vector{{7.0}};
  return out;
}

template <class T>
std::string written(const T& value) {
  ArchiveWriter writer;
  writer(value);
  return writer.bytes();
}

TEST(Archive, RoundTrip) {
  const std::string bytes = written(example());
  Outer back;
  back.none = Inner{};  // must be taken away
  back.names = {"left", "over"};
  back.empty = Vector::Ones(3);
  ArchiveReader reader(bytes);
  reader(back);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(back.i, -5);
  EXPECT_EQ(back.u, ~0ULL);
  EXPECT_TRUE(back.flag);
  EXPECT_EQ(back.colour, Colour::blue);
  ASSERT_EQ(back.v.size(), 5);
  EXPECT_TRUE(std::signbit(back.v[1]));
  EXPECT_TRUE(std::isnan(back.v[3]));
  EXPECT_EQ(back.v[4], 5e-324);
  EXPECT_EQ(back.empty.size(), 0);
  ASSERT_EQ(back.list.size(), 2U);
  EXPECT_EQ(back.list[1].a, 2.5);
  ASSERT_TRUE(back.some);
  EXPECT_EQ(back.some->name, std::string("a\0b", 3));
  EXPECT_FALSE(back.none);
  EXPECT_EQ(back.names, example().names);
  EXPECT_EQ(back.maybe.value(), Vector{{7.0}});
  EXPECT_EQ(written(back), bytes) << "bit for bit";
}

TEST(Archive, EveryTruncationIsRefused) {
  const std::string bytes = written(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Outer back;
    ArchiveReader reader(bytes.substr(0, size));
    EXPECT_THROW(reader(back), InputError) << size << " of " << bytes.size() << " bytes";
  }
}

// A length that is absurd must be refused before memory is asked for: 2^61 doubles overflow to 0 bytes.
TEST(Archive, AbsurdLengthsAreRefused) {
  for (const Index size : {Index{-1}, Index{1} << 61, (Index{1} << 61) + 1, Index{1} << 40}) {
    Vector back;
    ArchiveReader reader(written(size) + std::string(64, 'x'));
    EXPECT_THROW(reader(back), InputError) << size;
  }
}

// Bytes that are no value of their type, as only a crafted file has: the checksum finds what a disk does.
TEST(Archive, ValuesThatATypeHasNotAreRefused) {
  const auto refusal_of = [](auto value, const std::string& bytes) {
    ArchiveReader reader(bytes, "state");
    return test::refusal([&] { reader(value); });
  };
  for (const int byte : {2, 7, 128, 255}) {
    const std::string bytes(1, static_cast<char>(byte));
    test::expect_contains(refusal_of(false, bytes), "state: the checkpoint is damaged");
    test::expect_contains(refusal_of(std::optional<double>(), bytes + written(1.0)),
                          "the checkpoint is damaged");
  }
  for (const int number : {-1, 3, 7, 1 << 30})
    test::expect_contains(refusal_of(Colour::red, written(number)), "state: the checkpoint is damaged");
  for (const int number : {0, 1, 2}) {
    Colour colour = Colour::red;
    ArchiveReader reader(written(number));
    reader(colour);
    EXPECT_EQ(static_cast<int>(colour), number);
  }
}

TEST(Checksum, NoticesEveryFlippedBit) {
  const std::string bytes = written(example());
  for (std::size_t k = 0; k < bytes.size(); ++k)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[k] = static_cast<char>(damaged[k] ^ (1 << bit));
      EXPECT_NE(checksum(damaged), checksum(bytes));
    }
  EXPECT_EQ(checksum(""), 0xCBF29CE484222325ULL);  // FNV-1a's known answers
  EXPECT_EQ(checksum("a"), 0xAF63DC4C8601EC8CULL);
}

}  // namespace
}  // namespace bridle
