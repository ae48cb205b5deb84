// The lists of a planner: CSV files whose fields commas or semicolons separate, in quotes where they hold
// one.
#pragma once

#include <string>
#include <vector>

#include "bridle/core/error.hpp"
#include "bridle/io/csv_records.hpp"
#include "bridle/io/decimal_commas.hpp"
#include "bridle/io/text.hpp"

namespace bridle {

class ListRecords {
 public:
  explicit ListRecords(const std::string& path)
      : semicolons_(fields_at(path, ';') > fields_at(path, ',')),
        records_(path, semicolons_ ? ';' : ',', "") {}

  // The next record that is not blank; false at the end of the file.
  bool next() {
    if (!records_.next()) return false;
    fields_.clear();
    for (const auto field : records_.fields()) fields_.push_back(with_single_blanks(field));
    return true;
  }
  const std::vector<std::string>& fields() const { return fields_; }
  long line() const { return records_.line(); }
  // Where semicolons separate fields, a comma may be a decimal one.
  bool parse_number(const std::string& field, double& value) const {
    return io::parse_number(field, value) || (semicolons_ && io::parse_decimal_comma(field, value));
  }

 private:
  // Of the first record; 0 where its quotes make no sense with this separator.
  static std::size_t fields_at(const std::string& path, char separator) {
    try {
      io::CsvRecords records(path, separator, "");
      return records.next() ? records.fields().size() : 0;
    } catch (const InputError&) {
      return 0;
    }
  }
  static std::string with_single_blanks(std::string_view field) {
    std::string out;
    for (const char c : field) {
      const bool blank = io::is_blank(c) || c == '\n';
      if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

  bool semicolons_;
  io::CsvRecords records_;
  std::vector<std::string> fields_;
};

}  // namespace bridle
