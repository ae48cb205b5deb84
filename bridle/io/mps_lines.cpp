#include "bridle/io/mps_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

bool MpsLines::next() {
  while (reader_.next(line_)) {
    if (line_.starts_with('*')) continue;
    words_.clear();
    for (std::size_t at = 0; at < line_.size();) {
      const std::size_t start = line_.find_first_not_of(" \t", at);
      if (start == std::string_view::npos) break;
      at = std::min(line_.find_first_of(" \t", start), line_.size());
      words_.push_back(line_.substr(start, at - start));
    }
    if (!words_.empty()) return true;
  }
  return false;
}

bool MpsLines::is_number(std::string_view text, double& value) {
  return parse_number(text, value) && !std::isnan(value);
}

void MpsLines::refuse(const std::string& message) const {
  throw InputError(reader_.path(), reader_.line(), message);
}

// Cuts the line at the columns of the fixed format; false if text stands between the fields.
bool MpsLines::cut_fixed() {
  static constexpr std::array<std::pair<std::size_t, std::size_t>, 6> columns = {
      {{1, 3}, {4, 12}, {14, 22}, {24, 36}, {39, 47}, {49, 61}}};
  fields_.clear();
  std::size_t end_before = 0;
  for (const auto& [start, end] : columns) {
    const std::string_view gap = line_.substr(std::min(end_before, line_.size()), start - end_before);
    if (gap.find_first_not_of(' ') != std::string_view::npos) return false;
    fields_.push_back(trimmed(line_.substr(std::min(start, line_.size()), end - start)));
    end_before = end;
  }
  return line_.find('\t') == std::string_view::npos &&
         trimmed(line_.substr(std::min<std::size_t>(61, line_.size()))).empty();
}

std::pair<std::string_view, std::string_view> MpsLines::row() {
  if (words_.size() == 2 && !fixed_) return {words_[0], words_[1]};
  if (words_.size() >= 2 && cut_fixed() && !fields_[0].empty() && !fields_[1].empty()) {
    fixed_ = true;
    return {fields_[0], fields_[1]};
  }
  refuse("a ROWS line has a type and a name, but this one has " + std::to_string(words_.size()) + " fields");
}

bool MpsLines::words_fit_pairs(bool head_optional) {
  const std::size_t n = words_.size();
  const bool with_head = n == 3 || n == 5;
  if (!with_head && !(head_optional && (n == 2 || n == 4))) return false;
  head_ = with_head ? words_[0] : std::string_view();
  pairs_.clear();
  for (std::size_t i = with_head ? 1 : 0; i + 1 < n; i += 2) {
    pairs_.push_back({words_[i], 0});
    if (!is_number(words_[i + 1], pairs_.back().value)) return false;
  }
  return true;
}

void MpsLines::split_pairs(bool head_optional) {
  if (!fixed_ && words_fit_pairs(head_optional)) return;
  if (cut_fixed() && fields_[0].empty() && !fields_[2].empty() && (head_optional || !fields_[1].empty())) {
    head_ = fields_[1];
    pairs_.assign(1, {fields_[2], 0});
    bool numbers = is_number(fields_[3], pairs_[0].value);
    if (!fields_[4].empty()) {
      pairs_.push_back({fields_[4], 0});
      numbers = numbers && is_number(fields_[5], pairs_[1].value);
    }
    if (numbers) {
      fixed_ = true;
      return;
    }
  }
  const std::size_t n = words_.size();
  if (n < 2 || n > 5 || (!head_optional && n % 2 == 0))
    refuse(std::to_string(n) + " fields, but " + (head_optional ? "2 to 5" : "3 or 5") + " are needed");
  double value = 0;
  for (std::size_t i = n % 2 == 1 ? 2 : 1; i < n; i += 2)
    if (!is_number(words_[i], value)) refuse(in_quotes(words_[i]) + " is not a number");
  refuse("the fields do not stand in the columns of the fixed format");
}

std::vector<std::string_view> MpsLines::bound_fields() {
  if (!fixed_) return words_;
  if (!cut_fixed()) refuse("the fields do not stand in the columns of the fixed format");
  std::vector<std::string_view> fields(fields_.begin(), fields_.begin() + 4);
  if (fields[3].empty()) fields.pop_back();
  return fields;
}

}  // namespace bridle::io
