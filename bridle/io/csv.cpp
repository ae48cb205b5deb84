#include "bridle/io/csv.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bridle/core/error.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/csv_column_builder.hpp"
#include "bridle/io/decimal_commas.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

namespace {

constexpr Index records_before_reserve = 1000;

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
    if (options_.part) go_to(*options_.part);
    while (records_.next()) add_record();
    if (!options_.part) refuse_no_rows();
    return finish();
  }

 private:
  void name_columns();
  void name_from_header();
  void choose_kinds();
  ColumnBuilder& builder(const std::string& name, const char* option);
  void go_to(const CsvPart& part);
  void add_record();
  void refuse_no_rows() const;
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
  for (const std::string& name : options_.categorical) builder(name, "categorical").kind = Kind::category;
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

// The kinds of the columns are those that the first rows of the file give them.
void TableReader::go_to(const CsvPart& part) {
  const auto undecided = [](const ColumnBuilder& b) { return b.kind == Kind::undecided; };
  while ((rows_ == 0 || std::any_of(builders_.begin(), builders_.end(), undecided)) && records_.next())
    add_record();
  refuse_no_rows();
  rows_ = dropped_ = 0;
  for (ColumnBuilder& b : builders_) {
    b.forget_values();
    if (const Column* const before = options_.before ? options_.before->find(b.column.name) : nullptr) {
      b.column.comma_example = before->comma_example;
      b.column.point_example = before->point_example;
    }
  }
  records_ = CsvRecords(path_, separator_, options_.comment_prefix, part);
  if (part.bytes.begin == 0 && options_.columns.empty()) records_.next();  // the header
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
    if (builder.kind == Kind::numeric && commas_ && builder.column.point_example.empty() &&
        parse_decimal_comma(field, number)) {
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
    take_point_example(builder.column.point_example, field);
  }
  if (builder.kind == Kind::undecided) {
    builder.decide(Kind::numeric);
    builder.first_value = std::string(field);
  }
  builder.column.numbers.push_back(number);
}

void TableReader::refuse_no_rows() const {
  if (rows_ == 0 && dropped_ > 0)
    throw InputError(path_, 0,
                     "no data: every row has a missing value (an empty field or '?'), " +
                         std::to_string(dropped_) + " rows dropped");
  if (rows_ == 0) throw InputError(path_, 0, "no data rows");
}

Table TableReader::finish() {
  Table table;
  table.file = path_;
  table.rows = rows_;
  table.dropped_rows = dropped_;
  table.separator = separator_;
  for (ColumnBuilder& b : builders_)
    if (b.kind == Kind::undecided) b.decide(Kind::category);
  for (ColumnBuilder& b : builders_)
    if (b.kind != Kind::ignored) table.columns.push_back(std::move(b.column));
  if (!options_.part) take_decimal_commas(table, options_);
  return table;
}

}  // namespace

Table read_csv(const std::string& path, const CsvOptions& options) {
  return TableReader(path, options).read();
}

void take_decimal_commas(Table& table, const CsvOptions& options) {
  if (table.separator != ';') return;
  const Names& told = options.categorical;
  for (Column& column : table.columns)
    if (!column.numeric && std::find(told.begin(), told.end(), column.name) == told.end())
      take_decimal_commas(column);
}

}  // namespace bridle::io
