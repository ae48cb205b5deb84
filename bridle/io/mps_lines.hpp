// Lines of an MPS file cut into fields, in the free and the fixed format.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridle/io/line_reader.hpp"

namespace bridle::io {

struct MpsPair {
  std::string_view name;
  double value = 0;
};

class MpsLines {
 public:
  explicit MpsLines(const std::string& path) : reader_(path) {}

  // The next line that is neither blank nor a comment; false at the end of the file.
  bool next();
  // A section heading: it starts in the first column.
  bool is_heading() const { return !words_.empty() && words_.front().data() == line_.data(); }
  const std::vector<std::string_view>& words() const { return words_; }

  // "type name" of a ROWS line.
  std::pair<std::string_view, std::string_view> row();

  // COLUMNS, RHS, RANGES, QUADOBJ lines: a head and one or two pairs. The head (the name of the set) may be
  // missing where head_optional.
  void split_pairs(bool head_optional);
  std::string_view head() const { return head_; }
  const std::vector<MpsPair>& pairs() const { return pairs_; }

  // BOUNDS lines, cut into at most four fields: type, set, name, number. Words if the line has no blanks in
  // names.
  std::vector<std::string_view> bound_fields();

  // True for a finite or infinite number; not for NaN.
  static bool is_number(std::string_view text, double& value);

  long line() const { return reader_.line(); }
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  bool words_fit_pairs(bool head_optional);
  bool cut_fixed();

  LineReader reader_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::vector<std::string_view> fields_;  // of the fixed format: type, name, name, number, name, number
  std::string_view head_;
  std::vector<MpsPair> pairs_;
  // Set by the first line that makes sense with fixed columns only: names with blanks. It then holds for all
  // lines.
  bool fixed_ = false;
};

}  // namespace bridle::io
