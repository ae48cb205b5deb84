// A CSV file in parts: fields in quotes may have line ends in them, so that what a line is depends on all
// lines before it. Who reads a part says what it makes of its lines whichever way they begin, and from what
// all say follows which records begin in which part.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bridle/io/csv_records.hpp"

namespace bridle::io {

// A line may begin between records, in a field in quotes, or behind a mistake that no reader goes on after.
enum class LineStart { record, quotes, mistake };
constexpr LineStart last_value(LineStart) { return LineStart::mistake; }

// What becomes of the lines that begin in some bytes, if the first of them begins in a certain way.
struct CsvWay {
  LineStart end = LineStart::record;             // how the line that follows begins
  std::optional<std::size_t> first_record = {};  // the byte where the first record begins
  long lines_before = 0;                         // lines before that record, of these

  template <class Archive>
  void transfer(Archive& archive) {
    archive(end, first_record, lines_before);
  }
};

struct CsvSummary {
  CsvWay from_record, from_quotes;
  long lines = 0;

  template <class Archive>
  void transfer(Archive& archive) {
    archive(from_record, from_quotes, lines);
  }
};

// Of the lines that begin in these bytes. What cannot be read counts as a mistake in them.
CsvSummary summary_of(const std::string& path, char separator, const std::string& comment_prefix,
                      ByteRange bytes);

// The records that begin in part `number` of those that were summed up, which make up a file.
CsvPart records_of_part(const std::vector<CsvSummary>& parts, std::size_t number);

}  // namespace bridle::io
