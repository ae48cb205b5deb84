#include "bridle/apps/data/encoding.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/memory.hpp"
#include "bridle/core/pages.hpp"

namespace bridle {
namespace {

constexpr std::size_t many_columns = 50;

std::string unique_name(std::string name, std::unordered_set<std::string>& taken) {
  const std::string base = name;
  for (int k = 2; !taken.insert(name).second; ++k) name = base + "_" + std::to_string(k);
  return name;
}

void fit_numeric(const io::Column& column, bool standardise, EncodedColumn& out) {
  if (!standardise) return;
  const auto count = static_cast<double>(column.numbers.size());
  double sum = 0, squares = 0;
  for (const double v : column.numbers) sum += v;
  out.mean = sum / count;
  for (const double v : column.numbers) squares += (v - out.mean) * (v - out.mean);
  const double deviation = std::sqrt(squares / count);
  out.scale = deviation > 0 ? deviation : 1;
}

// Code of the table's category -> column of the model, or -1.
std::vector<Index> column_of_code(const EncodedColumn& encoded, const io::Column& column) {
  std::vector<Index> out;
  for (const auto& category : column.categories) {
    const auto found = std::lower_bound(encoded.categories.begin(), encoded.categories.end(), category);
    const bool known = found != encoded.categories.end() && *found == category;
    out.push_back(known ? encoded.first + (found - encoded.categories.begin()) : -1);
  }
  return out;
}

}  // namespace

std::string safe_name(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  // An LP name starts with no digit or full stop, and with no 'e' that could be read as an exponent.
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) || out[0] == '.') out = "_" + out;
  return out;
}

Encoding make_encoding(const io::Table& table, const EncodingOptions& options) {
  Encoding out;
  out.intercept = options.intercept;
  std::unordered_set<std::string> taken{std::string(intercept_name)};
  const std::unordered_set<std::string> excluded(options.exclude.begin(), options.exclude.end());
  for (const auto& column : table.columns) {
    if (excluded.contains(column.name)) continue;
    EncodedColumn encoded{column.name, column.numeric, 0, 1, {}, out.width()};
    if (column.numeric) {
      fit_numeric(column, options.standardise, encoded);
      out.names.push_back(unique_name(safe_name(column.name), taken));
    } else {
      encoded.categories = column.categories;
      std::sort(encoded.categories.begin(), encoded.categories.end());
      for (const auto& category : encoded.categories)
        out.names.push_back(unique_name(safe_name(column.name + "." + category), taken));
    }
    out.columns.push_back(std::move(encoded));
  }
  if (out.columns.empty()) throw InputError(table.file, 0, "no feature columns are left besides the target");
  if (options.intercept) out.names.emplace_back(intercept_name);
  return out;
}

Names notes_on_many_columns(const Encoding& encoding) {
  Names out;
  for (const auto& column : encoding.columns)
    if (column.categories.size() > many_columns)
      out.push_back(fmt::format("column '{}' is text with {} values, and becomes as many columns",
                                column.source, column.categories.size()));
  return out;
}

Vector ridge_weights(double ridge, const Names& columns) {
  if (ridge == 0) return {};
  Vector out = Vector::Constant(static_cast<Index>(columns.size()), ridge);
  if (columns.back() == intercept_name) out[out.size() - 1] = 0;
  return out;
}

namespace {

// The columns of a table beside what they become.
struct Source {
  const EncodedColumn* encoded;
  const io::Column* column;
  std::vector<Index> targets;  // of the categories
};

std::vector<Source> sources_of(const Encoding& encoding, const io::Table& table) {
  std::unordered_map<std::string_view, const io::Column*> by_name;  // tables may be 200,000 columns wide
  for (const auto& column : table.columns) by_name.try_emplace(column.name, &column);
  std::vector<Source> out;
  for (const auto& encoded : encoding.columns) {
    const auto found = by_name.find(encoded.source);
    const io::Column& column = found != by_name.end() ? *found->second : table.column(encoded.source);
    if (column.numeric != encoded.numeric)
      throw InputError(table.file, 0,
                       "column '" + encoded.source + "' is " + (column.numeric ? "numeric" : "text") +
                           " here but was " + (encoded.numeric ? "numeric" : "text") +
                           " in the training data");
    out.push_back(
        {&encoded, &column, encoded.numeric ? std::vector<Index>{} : column_of_code(encoded, column)});
  }
  return out;
}

// `done(rows)` is called now and then: the rows before that are not looked at again.
template <class Done>
Features encode_rows(const Encoding& encoding, const io::Table& table, Index* unseen, Done&& done) {
  constexpr Index rows_at_once = Index{1} << 16;
  const std::vector<Source> sources = sources_of(encoding, table);
  const Index nonzeros = static_cast<Index>(sources.size()) + (encoding.intercept ? 1 : 0);

  // visit(column, value) in the order of columns
  const auto for_each_entry = [&](Index i, auto&& visit) {
    const auto row = static_cast<std::size_t>(i);
    for (const auto& [encoded, column, targets] : sources) {
      if (encoded->numeric) {
        visit(encoded->first, (column->numbers[row] - encoded->mean) / encoded->scale);
      } else {
        const Index target = targets[static_cast<std::size_t>(column->codes[row])];
        if (target >= 0)
          visit(target, 1.0);
        else if (unseen)
          ++*unseen;
      }
    }
    if (encoding.intercept) visit(encoding.width() - 1, 1.0);
  };
  const auto for_each_row = [&](auto&& work) {
    for (Index i = 0; i < table.rows; ++i) {
      work(i);
      if ((i + 1) % rows_at_once == 0) done(i + 1);
    }
  };

  if (static_cast<double>(nonzeros) < 0.3 * static_cast<double>(encoding.width())) {
    require_memory(12.0 * static_cast<double>(nonzeros) * static_cast<double>(table.rows), table.file,
                   "the table with its categories as columns");
    SparseRows out(table.rows, encoding.width());
    out.reserve(nonzeros * table.rows);
    for_each_row([&](Index i) {
      out.startVec(i);
      for_each_entry(i, [&](Index j, double v) {
        if (v != 0) out.insertBack(i, j) = v;
      });
    });
    out.finalize();
    return out;
  }
  require_memory(8.0 * static_cast<double>(encoding.width()) * static_cast<double>(table.rows), table.file,
                 "the table with its categories as columns");
  DenseRows<double> out(table.rows, encoding.width());
  ask_for_large_pages(out.data(), static_cast<std::size_t>(out.size()));
  for_each_row([&](Index i) {
    out.row(i).setZero();
    for_each_entry(i, [&](Index j, double v) { out(i, j) = v; });
  });
  return out;
}

}  // namespace

Features encode(const Encoding& encoding, const io::Table& table, Index* unseen) {
  return encode_rows(encoding, table, unseen, [](Index) {});
}

Features encode_and_drop(const Encoding& encoding, io::Table& table) {
  std::unordered_set<std::string> names;
  for (const auto& encoded : encoding.columns) names.insert(encoded.source);
  const auto for_each_encoded = [&](auto&& work) {
    for (auto& column : table.columns)
      if (names.contains(column.name)) work(column);
  };
  Index dropped = 0;
  Features out = encode_rows(encoding, table, nullptr, [&](Index rows) {
    for_each_encoded([&](const io::Column& column) {
      const auto first = static_cast<std::size_t>(dropped), count = static_cast<std::size_t>(rows - dropped);
      if (column.numeric)
        give_back(column.numbers.data() + first, count);
      else
        give_back(column.codes.data() + first, count);
    });
    dropped = rows;
  });
  for_each_encoded([](io::Column& column) { column.numbers = {}, column.codes = {}; });
  return out;
}

}  // namespace bridle
