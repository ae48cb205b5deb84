// A column while its file is read.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bridle/io/csv.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

enum class Kind { undecided, numeric, category, ignored };

struct ColumnBuilder {
  Column column;
  Kind kind = Kind::undecided;
  std::string first_value;        // what made the column numeric, for messages
  std::size_t early_missing = 0;  // values missing before the first one decided the kind
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
  void forget_values() {
    early_missing = 0;
    column.numbers = {};
    column.codes = {};
    column.categories = {};
    column.comma_example = {};
    column.point_example = {};
    codes = {};
  }
};

}  // namespace bridle::io
