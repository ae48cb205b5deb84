// Splits a CSV file into records and fields.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridle/io/line_reader.hpp"

namespace bridle::io {

// Records that lie side by side in a file: all of them, unless it says which.
struct CsvPart {
  ByteRange bytes = {};   // in which they begin, the first at the first byte
  long lines_before = 0;  // in the file
};

class CsvRecords {
 public:
  CsvRecords(const std::string& path, char separator, std::string comment_prefix, const CsvPart& part = {});

  // Reads the next record that is not blank; false at the end of the file.
  bool next();
  // The fields of the record, unquoted and trimmed; valid until the next call of next().
  const std::vector<std::string_view>& fields() const { return fields_; }
  // Where the record starts: with quoted line ends a record spans several lines.
  long line() const { return start_line_; }
  std::size_t extrapolate(std::size_t count) const { return reader_.extrapolate(count); }

 private:
  // Blanks as separators: any number of them is one, at the ends of a line none.
  bool blank_separated() const { return separator_ == ' '; }
  long line_read() const { return lines_before_ + reader_.line(); }
  bool blank(char c) const { return (c == ' ' || c == '\t') && c != separator_; }
  bool blank(std::string_view line) const;
  std::string_view trimmed(std::string_view field) const;
  void split_plain(std::string_view line);
  void split_at_blanks(std::string_view line);
  void split_quoted(std::string_view line);
  std::size_t take_quoted_field(std::size_t position);
  std::size_t take_plain_field(std::size_t position);

  LineReader reader_;
  char separator_;
  std::string comment_prefix_;
  long lines_before_;
  std::vector<std::string_view> fields_;
  std::string record_;  // a record with quotes: joined lines, unquoted in place
  std::vector<std::pair<std::size_t, std::size_t>> spans_;  // its fields: offset and length
  long start_line_ = 0;
};

// The separator that splits the first line of a file best: into `fields` fields, or where that is 0 into most
// of them. A comma where nothing splits it.
char separator_of(const std::string& path, const std::string& comment_prefix, std::size_t fields);

}  // namespace bridle::io
