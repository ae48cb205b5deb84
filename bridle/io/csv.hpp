// Tables from CSV files: numbers as doubles, text as category codes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridle/core/types.hpp"
#include "bridle/io/csv_records.hpp"

namespace bridle::io {

struct Column {
  std::string name;
  bool numeric = false;
  std::vector<double> numbers = {};      // numeric columns: one per row; NaN where missing
  std::vector<std::int32_t> codes = {};  // other columns: one per row, a position in categories; -1: missing
  std::vector<std::string> categories = {};  // in order of first appearance in the rows kept
  std::string header = {};                   // its name in the file, which another column may have too
  Index position = 0;                        // in the file, from 1
  std::string comma_example = {};  // of a numeric column with decimal commas: a value of it, else empty
  // The same of decimal points, where semicolons separate fields: a value, which looks like thousands
  // (1.234) only if all of them do.
  std::string point_example = {};
};

struct Table {
  std::string file;
  std::vector<Column> columns;
  Index rows = 0;
  Index dropped_rows = 0;
  char separator = ',';  // that its fields were split at

  // Null if there is no such column.
  const Column* find(std::string_view name) const;
  // Throws InputError, with the nearest known name, if there is no such column.
  const Column& column(std::string_view name) const;
  // The same for a column with a role of its own (a target, a group): its name must be there once only, or
  // the twin would pass for a feature.
  const Column& only_column(std::string_view name) const;
};

// What to do with a row that has an empty field or '?': leave it out, refuse the file, or keep it with NaN
// and code -1 in the place of what is missing (for a caller that fills these).
enum class Missing { drop, error, keep };

struct CsvOptions {
  Names columns = {};      // if not empty: the file has no header and these are the names
  Names categorical = {};  // read as categories even if they look like numbers
  Names ignore = {};       // skipped: neither read nor checked for missing values
  Missing missing = Missing::drop;
  Names missing_values = {"?"};  // what stands for a missing value, besides an empty field
  // ',', ';', a tab, or a blank (any number of blanks and tabs is then one separator). find_separator: the
  // one that splits the first line.
  char separator = ',';
  std::string comment_prefix = "|";  // a first line that starts so is skipped; empty: none is
  // The rows to read, which may be none; what columns are the file's beginning still decides. Text that may
  // be decimal commas stays text (`take_decimal_commas`): that is for all rows to say.
  std::optional<CsvPart> part = {};
  // Of a part: what was read of those before it, which may have decimal commas or points.
  const Table* before = nullptr;
};

inline constexpr char find_separator = '\0';

// RFC 4180 with blanks around unquoted fields trimmed and blank lines skipped; plain or gzip. The first value
// kept in a column decides whether it is numeric; where semicolons separate fields, commas may be decimal
// ones, if all of the column's values are such numbers. A repeated header name gets the suffix ".2", ".3"; an
// empty one becomes "column_K".
Table read_csv(const std::string& path, const CsvOptions& options = {});

// Makes those text columns numeric all of whose values are numbers, one at least with a decimal comma.
void take_decimal_commas(Table& table, const CsvOptions& options);

}  // namespace bridle::io
