#include "bridle/io/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <vector>

#include "bridle/core/error.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/pages.hpp"
#include "bridle/io/line_reader.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

namespace {

constexpr std::size_t rows_before_reserve = 1000;
constexpr Index many_columns = 1'000'000;
constexpr double bytes_per_column = 200;  // a name and two dozen vectors of a run

using StorageIndex = SparseRows::StorageIndex;

std::string_view without_comment(std::string_view line) {
  return line.substr(0, std::min(line.find('#'), line.size()));
}

const char* skip_blanks(const char* at, const char* last) {
  while (at != last && is_blank(*at)) ++at;
  return at;
}

std::string_view token_at(const char* at, const char* last) {
  return {at, static_cast<std::size_t>(std::find_if(at, last, is_blank) - at)};
}

class LibsvmReader {
 public:
  LibsvmReader(const std::string& path, const LibsvmOptions& options)
      : reader_(path, options.part), options_(options) {}

  SparseData read() {
    for (std::string_view line; reader_.next(line);) add_line(without_comment(line));
    return finish();
  }

 private:
  void add_line(std::string_view line);
  const char* add_pair(const char* at, const char* last, StorageIndex previous);
  [[noreturn]] void refuse_index(std::string_view token, StorageIndex previous) const;
  [[noreturn]] void refuse_number(const char* what, std::string_view token, double number) const;
  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError(reader_.path(), reader_.line_in_file(reader_.line()), message);
  }
  void reserve();
  void append(double value, StorageIndex column) {
    if (entries_.size() == std::numeric_limits<StorageIndex>::max())
      refuse("more than 2147483647 nonzero values");
    entries_.append(value, column);
  }
  SparseData finish();

  LineReader reader_;
  LibsvmOptions options_;
  std::vector<double> labels_;
  SparseRows::Storage entries_;  // handed over to the matrix at the end, without a copy
  std::vector<StorageIndex> row_starts_ = {0};
  StorageIndex width_ = 0;
  long widest_line_ = 0;
};

void LibsvmReader::add_line(std::string_view line) {
  const char* const last = line.data() + line.size();
  const char* at = skip_blanks(line.data(), last);
  if (at == last) return;
  double label = 0;
  const char* end = parse_number_prefix(at, last, label);
  if (end == at || !is_finite(label) || (end != last && !is_blank(*end)))
    refuse_number("the label", token_at(at, last), label);
  StorageIndex previous = 0;
  for (at = skip_blanks(end, last); at != last; at = skip_blanks(at, last)) {
    at = add_pair(at, last, previous);
    previous = entries_.index(entries_.size() - 1) + 1;
  }
  if (previous > width_) {
    width_ = previous;
    widest_line_ = reader_.line();
  }
  if (options_.intercept) append(1, previous);  // `widen` moves it to the last column
  labels_.push_back(label);
  row_starts_.push_back(static_cast<StorageIndex>(entries_.size()));
  if (labels_.size() == rows_before_reserve) reserve();
}

// Reads one index:value; returns its end.
const char* LibsvmReader::add_pair(const char* at, const char* last, StorageIndex previous) {
  StorageIndex index = 0;
  const auto [colon, code] = std::from_chars(at, last, index);
  if (code != std::errc{} || colon == last || *colon != ':' || index <= previous)
    refuse_index(token_at(at, last), previous);
  double value = 0;
  const char* const end = parse_number_prefix(colon + 1, last, value);
  if (end == colon + 1 || !is_finite(value) || (end != last && !is_blank(*end)))
    refuse_number("the value of", token_at(at, last), value);
  append(value, index - 1);
  return end;
}

void LibsvmReader::refuse_index(std::string_view token, StorageIndex previous) const {
  if (token.starts_with("qid:")) refuse(in_quotes(token) + ": ranking data (qid) is not supported");
  StorageIndex index = 0;
  const char* const last = token.data() + token.size();
  const auto [colon, code] = std::from_chars(token.data(), last, index);
  if (code == std::errc::result_out_of_range) refuse(in_quotes(token) + ": the index is too large");
  if (code != std::errc{} || colon == last || *colon != ':')
    refuse(in_quotes(token) + " is not of the form index:value");
  if (index < 1) refuse(in_quotes(token) + ": indices start at 1");
  refuse(in_quotes(token) + ": indices must increase along a line, but " + std::to_string(index) +
         " follows " + std::to_string(previous));
}

void LibsvmReader::refuse_number(const char* what, std::string_view token, double number) const {
  refuse(std::string(what) + " " + in_quotes(token) +
         (is_finite(number) ? " is not a number" : " is not a finite number"));
}

// Growing step by step would touch every page of memory several times.
void LibsvmReader::reserve() {
  const std::size_t most = static_cast<std::size_t>(std::numeric_limits<StorageIndex>::max());
  const std::size_t entries = std::min(most, reader_.extrapolate(static_cast<std::size_t>(entries_.size())));
  require_memory(static_cast<double>(entries) * (sizeof(double) + sizeof(StorageIndex)), reader_.path(),
                 "data with about " + std::to_string(entries) + " values");
  entries_.reserve(static_cast<Index>(entries) - entries_.size());
  ask_for_large_pages(entries_.valuePtr(), entries);
  ask_for_large_pages(entries_.indexPtr(), entries);
  labels_.reserve(reader_.extrapolate(labels_.size()));
  row_starts_.reserve(labels_.capacity() + 1);
}

SparseData LibsvmReader::finish() {
  if (labels_.empty()) throw InputError(reader_.path(), 0, "no data lines");
  const Index rows = static_cast<Index>(labels_.size());
  const auto columns = static_cast<Index>(width_);
  if (columns == 0) throw InputError(reader_.path(), 0, "no line has a feature (index:value)");
  if (columns >= std::numeric_limits<StorageIndex>::max())
    throw InputError(reader_.path(), 0, "more than 2147483646 columns");
  // Every column costs memory and time in every iteration, and a slip in one index makes millions of them.
  const Index values = entries_.size() - (options_.intercept ? rows : 0);
  if (columns > many_columns && static_cast<double>(columns) > 1000.0 * static_cast<double>(values))
    throw InputError(reader_.path(), reader_.line_in_file(widest_line_),
                     "the index " + std::to_string(columns) + " makes " + std::to_string(columns) +
                         " columns, but the file has " + std::to_string(values) +
                         " values only; is it a slip?");
  require_memory(bytes_per_column * static_cast<double>(columns), reader_.path(),
                 "a problem with " + std::to_string(columns) + " columns");
  SparseData data;
  data.labels = Eigen::Map<const Vector>(labels_.data(), rows);
  data.features.resize(rows, columns);
  std::copy(row_starts_.begin(), row_starts_.end(), data.features.outerIndexPtr());
  data.features.data().swap(entries_);
  widen(data.features, columns, options_.intercept);
  return data;
}

bool is_pair(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view index = token.substr(0, colon);
  if (index == "qid") return true;
  double value = 0;
  return index.find_first_not_of("0123456789") == std::string_view::npos &&
         parse_number(token.substr(colon + 1), value);
}

}  // namespace

SparseData read_libsvm(const std::string& path, const LibsvmOptions& options) {
  return LibsvmReader(path, options).read();
}

void widen(SparseRows& features, Index columns, bool intercept) {
  const Index all = columns + (intercept ? 1 : 0);
  if (all > features.cols()) features.conservativeResize(features.rows(), all);
  if (!intercept) return;
  for (Index i = 0; i < features.rows(); ++i)
    features.innerIndexPtr()[features.outerIndexPtr()[i + 1] - 1] = static_cast<StorageIndex>(columns);
}

bool looks_like_libsvm(const std::string& path) {
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    line = without_comment(line);
    const char* const last = line.data() + line.size();
    const char* at = skip_blanks(line.data(), last);
    if (at == last) continue;
    double label = 0;
    const std::string_view first = token_at(at, last);
    if (!parse_number(first, label)) return false;
    at = skip_blanks(at + first.size(), last);
    return at != last && is_pair(token_at(at, last));
  }
  return false;
}

}  // namespace bridle::io
