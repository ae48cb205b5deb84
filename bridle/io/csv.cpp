#include "bridle/io/csv.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bridle/core/error.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/csv_records.hpp"
#include "bridle/io/decimal_commas.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

namespace {

constexpr Index records_before_reserve = 1000;

enum class Kind { undecided, numeric, category, ignored };

struct ColumnBuilder {
  Column column;
  Kind kind = Kind::undecided;
  std::string first_value;        // what made the column numeric, for messages
  std::size_t early_missing = 0;  // values missing before the first one decided the kind
  bool told = false;              // by the options what it is
  bool points = false;            // decimal ones, where commas could be meant
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> codes;

  void decide(Kind decided) {
    kind = decided;
    column.numeric = decided == Kind::numeric;
    for (; early_missing > 0; --early_missing) add_missing();
  }
  void add_missing() {
    if (kind == Kind::undecided)
      ++early_missing;
    else if (kind == Kind::numeric)
      column.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    else
      column.codes.push_back(-1);
  }
  void add_category(std::string_view value) {
    auto known = codes.find(value);
    if (known == codes.end()) {
      known = codes.emplace(std::string(value), static_cast<std::int32_t>(column.categories.size())).first;
      column.categories.emplace_back(value);
    }
    column.codes.push_back(known->second);
  }
};

class TableReader {
 public:
  TableReader(const std::string& path, const CsvOptions& options)
      : path_(path),
        options_(options),
        separator_(options.separator == find_separator
                       ? separator_of(path, options.comment_prefix, options.columns.size())
                       : options.separator),
        commas_(separator_ == ';'),
        records_(path, separator_, options.comment_prefix) {}

  Table read() {
    name_columns();
    choose_kinds();
    while (records_.next()) add_record();
    return finish();
  }

 private:
  void name_columns();
  void name_from_header();
  void choose_kinds();
  ColumnBuilder& builder(const std::string& name, const char* option);
  void add_record();
  bool is_missing(std::string_view field) const {
    return field.empty() || std::find(options_.missing_values.begin(), options_.missing_values.end(),
                                      field) != options_.missing_values.end();
  }
  bool has_missing(const std::vector<std::string_view>& fields) const;
  std::string separator_advice(std::size_t fields) const;
  void add_value(ColumnBuilder& builder, std::string_view field);
  void reserve(std::size_t rows);
  Table finish();
  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError(path_, records_.line(), message);
  }

  const std::string& path_;
  const CsvOptions& options_;
  char separator_;
  bool commas_;  // may be decimal ones
  CsvRecords records_;
  Names names_, headers_;
  std::vector<ColumnBuilder> builders_;
  Index rows_ = 0;
  Index dropped_ = 0;
};

void TableReader::name_columns() {
  if (options_.columns.empty()) {
    name_from_header();
  } else {
    names_ = options_.columns;
    Names sorted = names_;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw InputError(path_, 0, "columns: the name " + in_quotes(*twice) + " is listed twice");
  }
  builders_.resize(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    builders_[i].column.name = names_[i];
    builders_[i].column.header = headers_.empty() ? names_[i] : headers_[i];
    builders_[i].column.position = static_cast<Index>(i) + 1;
  }
}

void TableReader::name_from_header() {
  if (!records_.next())
    throw InputError(path_, 0, "the file is empty: a header line with column names is needed");
  const auto& fields = records_.fields();
  double number = 0;
  if (std::all_of(fields.begin(), fields.end(), [&](std::string_view f) {
        return parse_number(f, number) || (commas_ && parse_decimal_comma(f, number));
      }))
    refuse(
        "the first line has numbers, not column names; if the file has no header, list the names under "
        "columns");
  for (std::size_t i = 0; i < fields.size(); ++i)
    names_.push_back(fields[i].empty() ? "column_" + std::to_string(i + 1) : std::string(fields[i]));
  headers_ = names_;
  std::unordered_set<std::string> taken(names_.begin(), names_.end());
  std::unordered_map<std::string, int> next_copy;  // of the names seen; one may be there 200,000 times
  for (std::string& name : names_) {
    const auto [seen, is_new] = next_copy.try_emplace(name, 2);
    if (is_new) continue;
    int& copy = seen->second;
    while (!taken.insert(name + "." + std::to_string(copy)).second) ++copy;
    name += "." + std::to_string(copy);
    next_copy.try_emplace(name, 2);
  }
}

void TableReader::choose_kinds() {
  for (const std::string& name : options_.categorical) {
    builder(name, "categorical").kind = Kind::category;
    builder(name, "categorical").told = true;
  }
  for (const std::string& name : options_.ignore) builder(name, "ignore").kind = Kind::ignored;
  if (std::all_of(builders_.begin(), builders_.end(), [](const auto& b) { return b.kind == Kind::ignored; }))
    throw InputError(path_, 0, "ignore: every column is ignored");
}

ColumnBuilder& TableReader::builder(const std::string& name, const char* option) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw InputError(
        path_, 0,
        std::string(option) + ": no column is named " + in_quotes(name) + did_you_mean(name, names_));
  return builders_[static_cast<std::size_t>(found - names_.begin())];
}

void TableReader::add_record() {
  const auto& fields = records_.fields();
  if (fields.size() != builders_.size())
    refuse(std::to_string(fields.size()) + " fields, but " +
           (options_.columns.empty() ? "the header has " : "the columns named are ") +
           std::to_string(builders_.size()) + separator_advice(fields.size()));
  if (options_.missing != Missing::keep && has_missing(fields)) {
    ++dropped_;
    return;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) add_value(builders_[i], fields[i]);
  if (++rows_ == records_before_reserve) reserve(records_.extrapolate(static_cast<std::size_t>(rows_)));
}

// A line that another separator would split into the right number of fields, or a header that has one field
// only.
std::string TableReader::separator_advice(std::size_t fields) const {
  const std::size_t wanted = builders_.size() > 1 ? builders_.size() : 0;
  if (fields > 1 && wanted == 0) return "";
  const char other = separator_of(path_, options_.comment_prefix, wanted);
  if (other == separator_) return "";
  const std::string name = other == '\t'  ? "tabs"
                           : other == ' ' ? "blanks"
                                          : "'" + std::string(1, other) + "'";
  return "; are fields separated by " + name + " here? (separator)";
}

// Growing step by step would touch every page of memory several times.
void TableReader::reserve(std::size_t rows) {
  double bytes_per_row = 0;
  for (const ColumnBuilder& b : builders_)
    bytes_per_row += b.kind == Kind::numeric    ? sizeof(double)
                     : b.kind == Kind::category ? sizeof(std::int32_t)
                                                : 0;
  require_memory(bytes_per_row * static_cast<double>(rows), path_,
                 "a table of about " + std::to_string(rows) + " rows");
  for (ColumnBuilder& b : builders_) {
    if (b.kind == Kind::numeric) b.column.numbers.reserve(rows);
    if (b.kind == Kind::category) b.column.codes.reserve(rows);
  }
}

bool TableReader::has_missing(const std::vector<std::string_view>& fields) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_missing(fields[i]) || builders_[i].kind == Kind::ignored) continue;
    if (options_.missing == Missing::error)
      refuse("column " + in_quotes(names_[i]) + " has a missing value (an empty field or '?')");
    return true;
  }
  return false;
}

void TableReader::add_value(ColumnBuilder& builder, std::string_view field) {
  if (builder.kind == Kind::ignored) return;
  if (is_missing(field)) return builder.add_missing();
  if (builder.kind == Kind::category) return builder.add_category(field);
  double number = 0;
  if (!parse_number(field, number)) {
    if (builder.kind == Kind::numeric && commas_ && !builder.points && parse_decimal_comma(field, number)) {
      if (builder.column.comma_example.empty()) builder.column.comma_example = field;
      return builder.column.numbers.push_back(number);
    }
    if (builder.kind == Kind::numeric)
      refuse("column " + in_quotes(builder.column.name) + " is numeric (its first value is " +
             builder.first_value + ") but has " + in_quotes(field) +
             "; list it under categorical to read it as text");
    builder.decide(Kind::category);
    return builder.add_category(field);
  }
  if (!is_finite(number))
    refuse("column " + in_quotes(builder.column.name) + ": " + in_quotes(field) +
           " is not a finite number; list the column under categorical to read it as text");
  if (commas_ && field.find('.') != std::string_view::npos) {
    if (!builder.column.comma_example.empty())
      refuse("column " + in_quotes(builder.column.name) + " has decimal commas (" +
             in_quotes(builder.column.comma_example) + ") but also " + in_quotes(field) +
             "; list it under categorical to read it as text");
    builder.points = true;
  }
  if (builder.kind == Kind::undecided) {
    builder.decide(Kind::numeric);
    builder.first_value = std::string(field);
  }
  builder.column.numbers.push_back(number);
}

Table TableReader::finish() {
  if (rows_ == 0 && dropped_ > 0)
    throw InputError(path_, 0,
                     "no data: every row has a missing value (an empty field or '?'), " +
                         std::to_string(dropped_) + " rows dropped");
  if (rows_ == 0) throw InputError(path_, 0, "no data rows");
  Table table;
  table.file = path_;
  table.rows = rows_;
  table.dropped_rows = dropped_;
  table.separator = separator_;
  for (ColumnBuilder& b : builders_)
    if (b.kind == Kind::undecided) b.decide(Kind::category);
  for (ColumnBuilder& b : builders_)
    if (commas_ && b.kind == Kind::category && !b.told) take_decimal_commas(b.column);
  for (ColumnBuilder& b : builders_)
    if (b.kind != Kind::ignored) table.columns.push_back(std::move(b.column));
  return table;
}

}  // namespace

const Column* Table::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found != columns.end() ? &*found : nullptr;
}

const Column& Table::column(std::string_view name) const {
  if (const Column* const found = find(name)) return *found;
  Names names;
  for (const Column& c : columns) names.push_back(c.name);
  const bool split = names.size() > 1 || name.find_first_of(";\t ") != std::string_view::npos;
  throw InputError(
      file, 0,
      "no column is named " + in_quotes(name) + did_you_mean(name, names) +
          (split ? "" : "; the file has one column only: is another separator meant? (separator)"));
}

const Column& Table::only_column(std::string_view name) const {
  const Column& found = column(name);
  for (const Column& other : columns)
    if (other.position != found.position && other.header == found.header)
      throw InputError(file, 0,
                       "column " + in_quotes(found.header) + " is there twice, at positions " +
                           std::to_string(std::min(found.position, other.position)) + " and " +
                           std::to_string(std::max(found.position, other.position)) +
                           ", and one of them would be a feature; rename one, or list " +
                           in_quotes(other.position > found.position ? other.name : found.name) +
                           " under ignore");
  return found;
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  return TableReader(path, options).read();
}

}  // namespace bridle::io
