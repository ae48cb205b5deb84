#include "bridle/io/csv_parts.hpp"

#include <random>

#include "bridle/core/types.hpp"
#include "bridle/io/csv.hpp"

#include "tests/io/files.hpp"

namespace bridle::io {
namespace {

using bridle::testing::error_of;
using bridle::testing::write_file;

const std::string comment = "|";

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  std::size_t below(std::size_t count) { return generator_() % count; }
  const std::string& one_of(const Names& texts) { return texts[below(texts.size())]; }

 private:
  std::mt19937 generator_;
};

// Records with all that quotes may hold, and lines that are none.
std::string sound_text(Dice& dice, char separator) {
  const Names inside = {"a", "1", "\"\"", "\n", "\r\n", "\r", " ", ",", ";", "\t", "|", "\n\n"};
  const Names plain = {"", "a", "12", " b\t", "x\"y", "|", "q\"\"", "\r"};
  const Names blanks = {"", "", " ", "\t"};
  const Names ends = {"\n", "\n", "\r\n", "\n\n", "\n \t\n"};
  std::string text = dice.below(4) == 0 ? "| \"not a quote\n" : dice.below(4) == 0 ? "\xEF\xBB\xBF" : "";
  const std::size_t records = 1 + dice.below(6);
  for (std::size_t r = 0; r < records; ++r) {
    const std::size_t fields = 1 + dice.below(3);
    for (std::size_t k = 0; k < fields; ++k) {
      if (k > 0) text += separator;
      if (dice.below(2) == 0) {
        text += dice.one_of(plain);
        continue;
      }
      text += dice.one_of(blanks) + "\"";
      for (std::size_t letters = dice.below(6); letters > 0; --letters) text += dice.one_of(inside);
      text += "\"" + dice.one_of(blanks);
    }
    if (r + 1 < records || dice.below(2) == 0) text += dice.one_of(ends);
  }
  return text;
}

// Mostly no sense at all: what is refused, and where, must be the same too.
std::string noise(Dice& dice) {
  const Names letters = {"\"", "\"", "\"\"", "\n", "\n", "\r\n", ",", ",", ";", "\t", " ", "a", "|", "\r"};
  std::string text;
  for (std::size_t k = dice.below(40); k > 0; --k) text += dice.one_of(letters);
  return text;
}

// Every record with its line, and the error that ends them if there is one.
bool read_records(const std::string& path, char separator, const CsvPart& part, Names& out) {
  const std::string error = error_of([&] {
    CsvRecords records(path, separator, comment, part);
    while (records.next()) {
      std::string record = std::to_string(records.line());
      for (const auto field : records.fields()) record.append("|").append(field);
      out.push_back(record);
    }
  });
  if (!error.empty()) out.push_back(error);
  return error.empty();
}

Names records_in_parts(const std::string& path, char separator, const std::vector<std::size_t>& cuts) {
  std::vector<CsvSummary> parts;
  for (std::size_t k = 0; k <= cuts.size(); ++k) {
    const ByteRange bytes{k == 0 ? 0 : cuts[k - 1], k == cuts.size() ? ByteRange{}.end : cuts[k]};
    parts.push_back(summary_of(path, separator, comment, bytes));
  }
  Names out;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!read_records(path, separator, records_of_part(parts, k), out)) break;
  return out;
}

// Wherever a file is cut: the records of its parts are those of the whole, in their order and with their
// lines.
TEST(CsvParts, RecordsOfPartsAreThoseOfTheFile) {
  Dice dice(1);
  for (int round = 0; round < 120; ++round) {
    const char separator = ",;\t "[dice.below(4)];
    const std::string text = round % 3 == 0 ? noise(dice) : sound_text(dice, separator);
    const std::string path = write_file("parts.csv", text);
    Names expected;
    read_records(path, separator, {}, expected);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      ASSERT_EQ(records_in_parts(path, separator, {cut}), expected) << cut << " of\n" << text;
      std::vector<std::size_t> cuts = {cut, dice.below(text.size() + 1), dice.below(text.size() + 1)};
      std::sort(cuts.begin(), cuts.end());
      ASSERT_EQ(records_in_parts(path, separator, cuts), expected)
          << cuts[0] << ", " << cuts[1] << " and " << cuts[2] << " of\n"
          << text;
    }
  }
}

TEST(CsvParts, RecordsAcrossBuffers) {
  std::string text = "a,b\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i) + ",\"" + std::string(100'000, i % 2 ? '\n' : 'x') + "\"\"\n,\"\n";
  const std::string path = write_file("long.csv", text);
  Names expected;
  read_records(path, ',', {}, expected);
  ASSERT_EQ(expected.size(), 61U);
  for (const std::size_t parts : {2, 7, 100}) {
    std::vector<std::size_t> cuts;
    for (std::size_t k = 1; k < parts; ++k) cuts.push_back(text.size() * k / parts);
    EXPECT_EQ(records_in_parts(path, ',', cuts), expected) << parts;
  }
}

// The kinds of the columns come from the file's beginning, and the line of a mistake is that of the whole
// file.
TEST(CsvParts, TablesOfParts) {
  std::string text = "a,b\n?,x\n1,\"2\"\n";
  for (int i = 0; i < 20; ++i) text += "\"" + std::to_string(i) + "\",\"x\ny\"\n";
  const std::size_t middle = text.size() / 2;
  const auto part = [&](const std::string& path, std::size_t number) {
    CsvOptions options;
    options.part = records_of_part(
        {summary_of(path, ',', comment, {0, middle}), summary_of(path, ',', comment, {middle})}, number);
    return read_csv(path, options);
  };
  text.replace(text.find("\"2\""), 3, "z");
  const std::string path = write_file("table.csv", text);
  const Table first = part(path, 0), second = part(path, 1);
  EXPECT_EQ(first.rows + second.rows, 21);
  EXPECT_EQ(first.dropped_rows, 1);
  EXPECT_EQ(second.dropped_rows, 0);
  EXPECT_TRUE(second.columns[0].numeric);
  EXPECT_EQ(second.columns[0].numbers.back(), 19);
  EXPECT_EQ(second.columns[1].categories, Names{"x\ny"});
  const std::string wrong = write_file("wrong.csv", text + "1,2\nword,y\n");
  EXPECT_EQ(error_of([&] { part(wrong, 0); }), "");
  EXPECT_EQ(error_of([&] { part(wrong, 1); }), error_of([&] { read_csv(wrong); }));
  const std::string binary = write_file("binary.csv", text + std::string("1,\0\n", 4));
  EXPECT_EQ(error_of([&] { part(binary, 1); }), error_of([&] { read_csv(binary); }));
}

}  // namespace
}  // namespace bridle::io
