#include "bridle/io/csv_records.hpp"

#include <algorithm>
#include <cstring>

#include "bridle/core/error.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

CsvRecords::CsvRecords(const std::string& path, char separator, std::string comment_prefix,
                       const CsvPart& part)
    : reader_(path, part.bytes),
      separator_(separator),
      comment_prefix_(std::move(comment_prefix)),
      lines_before_(part.lines_before) {
  if (std::string_view("\"\n\r\0", 4).find(separator) != std::string_view::npos)
    throw InputError(path, 0, "a quote, a line end or NUL cannot separate fields");
}

bool CsvRecords::next() {
  for (std::string_view line; reader_.next(line);) {
    if (blank(line)) continue;
    if (line_read() == 1 && !comment_prefix_.empty() && line.starts_with(comment_prefix_)) continue;
    start_line_ = line_read();
    fields_.clear();
    if (std::memchr(line.data(), '"', line.size()) == nullptr)
      blank_separated() ? split_at_blanks(line) : split_plain(line);
    else
      split_quoted(line);
    return true;
  }
  return false;
}

bool CsvRecords::blank(std::string_view line) const {
  return std::all_of(line.begin(), line.end(), [this](char c) { return blank(c); });
}

std::string_view CsvRecords::trimmed(std::string_view field) const {
  while (!field.empty() && blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && blank(field.back())) field.remove_suffix(1);
  return field;
}

void CsvRecords::split_plain(std::string_view line) {
  const char* first = line.data();
  const char* const last = first + line.size();
  for (;; ++first) {
    // Fields are short: a plain loop beats a call of memchr for each.
    const char* end = first;
    while (end != last && *end != separator_) ++end;
    fields_.push_back(trimmed({first, static_cast<std::size_t>(end - first)}));
    if (end == last) return;
    first = end;
  }
}

void CsvRecords::split_at_blanks(std::string_view line) {
  const auto separates = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t position = 0; position < line.size();) {
    while (position < line.size() && separates(line[position])) ++position;
    std::size_t end = position;
    while (end < line.size() && !separates(line[end])) ++end;
    if (end > position) fields_.push_back(line.substr(position, end - position));
    position = end;
  }
}

void CsvRecords::split_quoted(std::string_view line) {
  if (blank_separated())
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  record_.assign(line);
  spans_.clear();
  for (std::size_t position = 0;; ++position) {
    while (position < record_.size() &&
           (blank(record_[position]) || (blank_separated() && record_[position] == ' ')))
      ++position;
    const bool in_quotes = position < record_.size() && record_[position] == '"';
    position = in_quotes ? take_quoted_field(position + 1) : take_plain_field(position);
    if (position == record_.size()) break;
  }
  // Only now: joining lines may have moved the record.
  for (const auto& [offset, length] : spans_)
    fields_.push_back(std::string_view(record_).substr(offset, length));
}

// Starts behind the opening quote; returns the position of the separator that follows, or the end.
std::size_t CsvRecords::take_quoted_field(std::size_t position) {
  const std::size_t start = position;
  const long opened = line_read();
  std::size_t write = start;
  for (;; ++position) {
    if (position == record_.size()) {
      std::string_view more;
      if (!reader_.next(more))
        throw InputError(reader_.path(), opened, "a quoted field opens here and is never closed");
      record_.append("\n").append(more);
    }
    if (record_[position] == '"') {
      if (position + 1 == record_.size() || record_[position + 1] != '"') break;
      ++position;
    }
    record_[write++] = record_[position];
  }
  spans_.emplace_back(start, write - start);
  ++position;
  while (position < record_.size() && blank(record_[position])) ++position;
  if (position < record_.size() && record_[position] != separator_)
    throw InputError(reader_.path(), line_read(),
                     "text follows the closing quote of " +
                         in_quotes(std::string_view(record_).substr(start, write - start)) +
                         "; a quote inside a quoted field is written twice");
  return position;
}

std::size_t CsvRecords::take_plain_field(std::size_t position) {
  const std::size_t end = std::min(record_.find(separator_, position), record_.size());
  const std::string_view field = trimmed(std::string_view(record_).substr(position, end - position));
  spans_.emplace_back(position, field.size());
  return end;
}

char separator_of(const std::string& path, const std::string& comment_prefix, std::size_t fields) {
  char best = ',';
  std::size_t most = 0;
  // Blanks come last: they are in names and texts too.
  for (const char candidate : {',', ';', '\t', ' '}) {
    std::size_t found = 0;
    try {
      CsvRecords records(path, candidate, comment_prefix);
      if (!records.next()) return ',';
      found = records.fields().size();
    } catch (const InputError&) {  // quotes that make no sense with this one
      continue;
    }
    if (fields > 0 ? found == fields : found > most && (candidate != ' ' || most <= 1)) {
      best = candidate;
      most = found;
      if (fields > 0) break;
    }
  }
  return best;
}

}  // namespace bridle::io
