#include "bridle/apps/data/many_files.hpp"

#include <algorithm>
#include <cmath>

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

Index rows_of(const io::SparseData& data) { return data.features.rows(); }
Index rows_of(const io::Table& table) { return table.rows; }

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
  if (column.comma_example.empty()) column.comma_example = more.comma_example;
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

// The files that this process reads.
Names own_files(const Names& files, const FileShare* share) {
  if (!share) return files;
  return {files.begin() + share->first, files.begin() + share->first + share->count};
}

// The lines of a file that this process reads.
io::ByteRange part_here(const std::string& file, const FileShare* share) {
  if (!share || !share->parts) return {};
  const auto part = io::part_of_file(file, static_cast<std::size_t>(share->ranks.rank()),
                                     static_cast<std::size_t>(share->ranks.ranks()));
  if (!part) throw InputError(file, 0, "cannot be read in parts any more: it has changed");
  return *part;
}

template <class Read>
auto read_and_join(const Names& files, const Read& read) {
  auto data = read(files.front());
  std::vector<Index> rows{rows_of(data)};
  for (std::size_t k = 1; k < files.size(); ++k) {
    const auto more = read(files[k]);
    append(data, more);
    rows.push_back(rows_of(more));
  }
  return JoinedData<decltype(data)>{std::move(data), std::move(rows)};
}

// A table without its rows, as ranks tell each other.
struct TableHeader {
  io::Table table;

  template <class Archive>
  void transfer(Archive& archive) {
    std::size_t columns = table.columns.size();
    archive(table.file, table.rows, table.dropped_rows, columns);
    table.columns.resize(columns);
    for (auto& column : table.columns)
      archive(column.name, column.header, column.position, column.numeric, column.categories);
  }
};

TableHeader header_of(const io::Table& table) {
  TableHeader out{{table.file, {}, table.rows, table.dropped_rows}};
  for (const auto& column : table.columns)
    out.table.columns.push_back(
        {column.name, column.numeric, {}, {}, column.categories, column.header, column.position});
  return out;
}

}  // namespace

JoinedData<io::SparseData> read_libsvm_files(const Names& files, bool intercept, const FileShare* share) {
  auto out = read_and_join(own_files(files, share), [&](const auto& file) {
    return io::read_libsvm(file, {.intercept = intercept, .part = part_here(file, share)});
  });
  SparseRows& features = out.data.features;
  for (const Index rows : values_of_all(share, features.rows())) out.total += rows;
  Index columns = 0;
  for (const Index found : values_of_all(share, features.cols())) columns = std::max(columns, found);
  io::widen(features, columns - (intercept ? 1 : 0), intercept);
  return out;
}

JoinedData<io::Table> read_csv_files(const Names& files, const io::CsvOptions& options,
                                     const FileShare* share) {
  auto out =
      read_and_join(own_files(files, share), [&](const auto& file) { return io::read_csv(file, options); });
  out.total = out.data.rows;
  if (!share) return out;
  const auto headers = values_of_all(share, header_of(out.data));
  io::Table all = headers.front().table;
  for (std::size_t k = 1; k < headers.size(); ++k) append(all, headers[k].table);
  out.total = all.rows;
  const Index dropped = all.dropped_rows;
  all.rows = 0;
  append(all, out.data);  // the rows read here, in the categories of all
  out.data = std::move(all);
  out.data.dropped_rows = dropped;
  return out;
}

void standardise_over_files(const JoinedData<io::Table>& joined, const FileShare* share, Encoding& encoding) {
  for (auto& encoded : encoding.columns) {
    if (!encoded.numeric) continue;
    const auto& numbers = joined.data.column(encoded.source).numbers;
    const auto mean_over_all = [&](const auto& term) {
      std::vector<double> sums;
      auto at = numbers.begin();
      for (const Index rows : joined.rows) {
        sums.push_back(0);
        for (const auto end = at + rows; at != end; ++at) sums.back() += term(*at);
      }
      double sum = 0;
      for (const auto& of_rank : values_of_all(share, sums))
        for (const double of_file : of_rank) sum += of_file;
      return sum / static_cast<double>(joined.total);
    };
    encoded.mean = mean_over_all([](double v) { return v; });
    const double deviation =
        std::sqrt(mean_over_all([&](double v) { return (v - encoded.mean) * (v - encoded.mean); }));
    encoded.scale = deviation > 0 ? deviation : 1;
  }
}

}  // namespace bridle
