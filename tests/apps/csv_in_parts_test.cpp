// Ranks that read parts of one CSV file: together they have what a reader of the whole file has.
#include <random>

#include "bridle/apps/data/many_files.hpp"
#include "bridle/apps/data/number_notes.hpp"

#include "tests/io/files.hpp"
#include "tests/support/thread_ranks.hpp"

namespace bridle {
namespace {

using bridle::test::in_ranks;
using bridle::testing::error_of;
using bridle::testing::write_file;

const EncodingOptions encoded{.standardise = true};

struct WholeFile {
  io::Table table;
  Encoding encoding;
};

WholeFile read_whole(const std::string& path, const io::CsvOptions& options) {
  io::Table table = io::read_csv(path, options);
  Encoding encoding = make_encoding(table, encoded);
  return {std::move(table), std::move(encoding)};
}

struct PartOfFile {
  JoinedData<io::Table> joined;
  Encoding encoding;
};

// What each rank reads, or the error of all.
std::vector<PartOfFile> read_in_parts(const std::string& path, const io::CsvOptions& options, int ranks) {
  std::vector<PartOfFile> out(static_cast<std::size_t>(ranks));
  const auto errors = in_ranks(ranks, [&](const Ranks& rank) {
    const FileShare share{rank, 1, 0, 1, true};
    PartOfFile& part = out[static_cast<std::size_t>(rank.rank())];
    part.joined = read_csv_files({path}, options, &share);
    part.encoding = make_encoding(part.joined.data, {});
    standardise_over_files(part.joined, &share, part.encoding);
  });
  for (const auto& error : errors) EXPECT_EQ(error, errors.front());
  if (!errors.front().empty()) throw InputError(errors.front());
  return out;
}

void expect_same_encoding(const Encoding& found, const Encoding& expected) {
  EXPECT_EQ(found.names, expected.names);
  ASSERT_EQ(found.columns.size(), expected.columns.size());
  for (std::size_t j = 0; j < found.columns.size(); ++j) {
    EXPECT_EQ(found.columns[j].mean, expected.columns[j].mean) << "not the same bits";
    EXPECT_EQ(found.columns[j].scale, expected.columns[j].scale) << "not the same bits";
    EXPECT_EQ(found.columns[j].categories, expected.columns[j].categories);
  }
}

void expect_whole(const std::vector<PartOfFile>& parts, const WholeFile& whole) {
  Index first = 0;
  for (const PartOfFile& part : parts) {
    const io::Table& table = part.joined.data;
    EXPECT_EQ(part.joined.total, whole.table.rows);
    EXPECT_EQ(part.joined.rows, std::vector<Index>{table.rows});
    EXPECT_EQ(table.dropped_rows, whole.table.dropped_rows);
    EXPECT_EQ(table.separator, whole.table.separator);
    EXPECT_EQ(notes_on_numbers(table, {}), notes_on_numbers(whole.table, {}));
    ASSERT_EQ(table.columns.size(), whole.table.columns.size());
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const io::Column &mine = table.columns[j], &column = whole.table.columns[j];
      EXPECT_EQ(mine.name, column.name);
      EXPECT_EQ(mine.header, column.header);
      EXPECT_EQ(mine.position, column.position);
      EXPECT_EQ(mine.categories, column.categories);
      ASSERT_EQ(mine.numeric, column.numeric);
      const auto rows_of = [&](const auto& values) {
        return std::vector(values.begin() + first, values.begin() + first + table.rows);
      };
      if (mine.numeric)
        EXPECT_EQ(mine.numbers, rows_of(column.numbers));
      else
        EXPECT_EQ(mine.codes, rows_of(column.codes));
    }
    expect_same_encoding(part.encoding, whole.encoding);
    first += table.rows;
  }
  EXPECT_EQ(first, whole.table.rows);
}

// Numbers, decimal commas or points, words and words in quotes that go on in the next line; some are missing,
// and now and then one is wrong.
std::string table_text(std::mt19937& generator, char separator, bool mistakes) {
  const auto below = [&](std::size_t count) { return generator() % count; };
  const auto number = [&] { return std::to_string(below(100)); };
  const std::size_t dots = below(3);
  std::string text = std::string("n") + separator + "m" + separator + "town" + separator + "\"a\nnote\"\r\n";
  const std::size_t rows = 5 + below(25);
  for (std::size_t i = 0; i < rows; ++i) {
    Names fields = {number(), number(), std::string(1, static_cast<char>('a' + below(4))),
                    "\"" + std::string(below(3), '\n') + "\"\"" + number() + "\""};
    if (below(2) == 0) fields[1] += (dots == 0 ? "." : ",") + number();
    if (separator != ';' && fields[1].find(',') != std::string::npos) fields[1] = "\"" + fields[1] + "\"";
    if (dots == 2) fields[1] = "1," + number();
    if (separator != ';' && dots > 0) fields[1] = number();
    if (below(6) == 0) fields[below(4)] = below(2) ? "?" : "";
    if (mistakes && below(15) == 0) {
      const Names wrong = {
          "word", "nan", "2.5", "2,5", "\"open", "\"shut\" text", "x" + std::string(1, separator) + "y"};
      fields[below(4)] = wrong[below(wrong.size())];
    }
    for (std::size_t k = 0; k < 4; ++k) text += (k ? std::string(1, separator) : "") + fields[k];
    if (i + 1 < rows || below(2)) text += below(5) ? "\n" : "\n\n";
  }
  return text;
}

TEST(CsvInParts, TheSameAsTheWholeFile) {
  std::mt19937 generator(1);
  int read = 0, refused = 0;
  for (int round = 0; round < 150; ++round) {
    const std::string text = table_text(generator, ";,"[round % 2], round % 3 == 0);
    const std::string path = write_file("parts.csv", text);
    io::CsvOptions options;
    options.separator = io::find_separator;
    if (round % 5 == 0) options.categorical = {"m"};
    if (round % 7 == 0) options.ignore = {"n"};
    if (round % 11 == 0) options.missing = io::Missing::error;
    WholeFile whole;
    const std::string error = error_of([&] { whole = read_whole(path, options); });
    for (const int ranks : {2, 3, 6}) {
      SCOPED_TRACE(std::to_string(round) + ": " + std::to_string(ranks) + " ranks\n" + text);
      std::vector<PartOfFile> parts;
      const std::string other = error_of([&] { parts = read_in_parts(path, options, ranks); });
      if (other.ends_with("has no rows to keep for some of the ranks")) continue;
      ASSERT_EQ(other, error);
      (error.empty() ? read : refused) += 1;
      if (error.empty()) expect_whole(parts, whole);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(read, 200);
  EXPECT_GT(refused, 50);
}

// A column is what the first row of the file makes it, and text that is decimal commas in all parts is
// numbers.
TEST(CsvInParts, WhatPartsMustAgreeOn) {
  const auto filler = [](const std::string& row) {
    std::string out;
    for (int i = 0; i < 20; ++i) out += row;
    return out;
  };
  io::CsvOptions options;
  options.separator = io::find_separator;
  const auto compare = [&](const std::string& text) {
    const std::string path = write_file("agreed.csv", text);
    WholeFile whole;
    std::vector<PartOfFile> parts;
    const std::string error = error_of([&] { whole = read_whole(path, options); });
    EXPECT_EQ(error_of([&] { parts = read_in_parts(path, options, 2); }), error);
    if (error.empty()) expect_whole(parts, whole);
    return error;
  };
  EXPECT_EQ(compare("a;b\n" + filler("x;1,5\n") + filler("y;2\n")), "");
  EXPECT_EQ(compare("a;b\n" + filler("x;1,5\n") + filler("y;2.5\n")), "") << "text";
  EXPECT_EQ(compare("a;b\n" + filler("x;1\n") + filler("y;1,5\n")), "");
  EXPECT_EQ(compare("a;b\n" + filler("word;1\n") + filler("1;1\n")), "");
  EXPECT_NE(compare("a;b\n" + filler("x;2.5\n") + filler("y;1,5\n")).find(":22: column 'b' is numeric"),
            std::string::npos);
  EXPECT_NE(compare("a;b\nx;1\n" + filler("x;1,5\n") + filler("y;2.5\n"))
                .find(":23: column 'b' has decimal commas"),
            std::string::npos);
  EXPECT_NE(compare("a;b\n" + filler("1;1\n") + filler("word;1\n")).find(":22: column 'a' is numeric"),
            std::string::npos);
  // Rank 1 meets a mistake of its own, but before that its commas contradict the points of rank 0.
  EXPECT_NE(compare("a;b\n" + filler("x;2.5\n") + filler("y;1,5\n") + "z;word\n").find(":22: "),
            std::string::npos);
}

TEST(CsvInParts, RanksWithoutRowsAreTold) {
  std::string text = "a,b\n1,2\n";
  for (int i = 0; i < 50; ++i) text += "1,?\n";
  const std::string path = write_file("dropped.csv", text);
  for (const std::string& error : in_ranks(2, [&](const Ranks& rank) {
         const FileShare share{rank, 1, 0, 1, true};
         EXPECT_THROW(read_csv_files({path}, {}, &share), PartWithoutRows);
       }))
    EXPECT_EQ(error, "");
}

}  // namespace
}  // namespace bridle
