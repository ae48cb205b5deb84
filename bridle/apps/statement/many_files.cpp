#include "bridle/apps/statement/many_files.hpp"

#include <algorithm>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

void append(io::SparseData& data, const io::SparseData& more) {
  const Index before = data.features.rows();
  SparseRows joined(before + more.features.rows(), std::max(data.features.cols(), more.features.cols()));
  joined.reserve(data.features.nonZeros() + more.features.nonZeros());
  for (Index i = 0; i < joined.rows(); ++i) {
    joined.startVec(i);
    const bool old = i < before;
    for (SparseRows::InnerIterator it(old ? data.features : more.features, old ? i : i - before); it; ++it)
      joined.insertBack(i, it.col()) = it.value();
  }
  joined.finalize();
  data.features.swap(joined);
  Vector labels(before + more.labels.size());
  labels << data.labels, more.labels;
  data.labels = std::move(labels);
}

void append(io::Column& column, const io::Column& more) {
  column.numbers.insert(column.numbers.end(), more.numbers.begin(), more.numbers.end());
  std::vector<std::int32_t> code;  // of every category of `more`
  for (const auto& category : more.categories) {
    const auto found = std::find(column.categories.begin(), column.categories.end(), category);
    code.push_back(static_cast<std::int32_t>(found - column.categories.begin()));
    if (found == column.categories.end()) column.categories.push_back(category);
  }
  for (const std::int32_t old : more.codes)
    column.codes.push_back(old < 0 ? old : code[static_cast<std::size_t>(old)]);
}

void append(io::Table& table, const io::Table& more) {
  if (more.columns.size() != table.columns.size())
    throw InputError(more.file, 0,
                     std::to_string(more.columns.size()) + " columns, but " + table.file + " has " +
                         std::to_string(table.columns.size()));
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const io::Column &mine = table.columns[j], &other = more.columns[j];
    if (mine.name != other.name)
      throw InputError(more.file, 1,
                       "column '" + other.name + "' where " + table.file + " has '" + mine.name + "'");
    if (mine.numeric != other.numeric)
      throw InputError(more.file, 0,
                       "column '" + mine.name + "' is " + (other.numeric ? "numeric" : "text") + ", but in " +
                           table.file + " it is not; the key categorical makes it text");
    append(table.columns[j], other);
  }
  table.rows += more.rows;
  table.dropped_rows += more.dropped_rows;
}

}  // namespace

JoinedData<io::SparseData> read_libsvm_files(const Names& files) {
  JoinedData<io::SparseData> out{io::read_libsvm(files.front()), {}};
  out.rows.push_back(out.data.features.rows());
  for (std::size_t k = 1; k < files.size(); ++k) {
    const io::SparseData more = io::read_libsvm(files[k]);
    append(out.data, more);
    out.rows.push_back(more.features.rows());
  }
  return out;
}

JoinedData<io::Table> read_csv_files(const Names& files, const io::CsvOptions& options) {
  JoinedData<io::Table> out{io::read_csv(files.front(), options), {}};
  out.rows.push_back(out.data.rows);
  for (std::size_t k = 1; k < files.size(); ++k) {
    const io::Table more = io::read_csv(files[k], options);
    append(out.data, more);
    out.rows.push_back(more.rows);
  }
  return out;
}

}  // namespace bridle
