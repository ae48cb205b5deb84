#include "bridle/apps/data/many_files.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bridle/apps/data/joined_data.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/csv_parts.hpp"

namespace bridle {
namespace {

Index rows_of(const io::SparseData& data) { return data.features.rows(); }
Index rows_of(const io::Table& table) { return table.rows; }

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

namespace {

// The rows read here in the columns that all have.
JoinedData<io::Table> joined_with(io::Table all, JoinedData<io::Table> own) {
  own.total = all.rows;
  own.data = rows_in_columns_of(std::move(all), std::move(own.data));
  return own;
}

// Reads a part again whose reading failed, or whose commas and points contradict those before it: it throws
// what a reader of the whole file would. The others hear of it.
[[noreturn]] void refuse_part(const std::string& file, io::CsvOptions options, const io::Table& before,
                              bool here, const FileShare& share) {
  options.before = &before;
  if (here) io::read_csv(file, options);
  values_of_all(&share, Index{0});
  throw InputError(file, 0, "has changed while it was read");
}

JoinedData<io::Table> read_csv_in_parts(const std::string& file, io::CsvOptions options,
                                        const FileShare& share) {
  const auto rank = static_cast<std::size_t>(share.ranks.rank());
  if (options.separator == io::find_separator)
    options.separator = io::separator_of(file, options.comment_prefix, options.columns.size());
  options.part = io::records_of_part(
      values_of_all(&share,
                    io::summary_of(file, options.separator, options.comment_prefix, part_here(file, &share))),
      rank);
  std::optional<io::Table> own;
  try {
    own = io::read_csv(file, options);
  } catch (const InputError&) {  // another may be earlier in the file
  }
  const auto headers = values_of_all(&share, own ? std::optional(header_of(*own)) : std::nullopt);
  io::Table all;
  for (std::size_t k = 0; k < headers.size(); ++k) {
    if (!headers[k] || contradict_on_commas(all, headers[k]->table))
      refuse_part(file, options, all, k == rank, share);
    if (k == 0)
      all = headers[k]->table;
    else
      append(all, headers[k]->table);
  }
  for (const auto& header : headers)
    if (header->table.rows == 0) throw PartWithoutRows(file, 0, "has no rows to keep for some of the ranks");
  const Index rows = own->rows;
  auto out = joined_with(std::move(all), {std::move(*own), {rows}});
  io::take_decimal_commas(out.data, options);
  return out;
}

}  // namespace

JoinedData<io::Table> read_csv_files(const Names& files, const io::CsvOptions& options,
                                     const FileShare* share) {
  if (share && share->parts) return read_csv_in_parts(files.front(), options, *share);
  auto out =
      read_and_join(own_files(files, share), [&](const auto& file) { return io::read_csv(file, options); });
  out.total = out.data.rows;
  if (!share) return out;
  const auto headers = values_of_all(share, header_of(out.data));
  io::Table all = headers.front().table;
  for (std::size_t k = 1; k < headers.size(); ++k) append(all, headers[k].table);
  return joined_with(std::move(all), std::move(out));
}

namespace {

using NumericColumns = std::vector<const std::vector<double>*>;

// sums[j] += term(j, v) for the values v of column j in these rows.
template <class Term>
void add_rows(const NumericColumns& columns, Index first, Index count, const Term& term, Vector& sums) {
  for (Index j = 0; j < sums.size(); ++j) {
    const double* const value = columns[static_cast<std::size_t>(j)]->data() + first;
    double sum = sums[j];
    for (Index i = 0; i < count; ++i) sum += term(j, value[i]);
    sums[j] = sum;
  }
}

// Parts of one file: each rank goes on with the sums of the one before it, and the last has the bits of a
// process that reads the whole file.
template <class Term>
Vector sums_over_parts(const NumericColumns& columns, Index rows, const FileShare& share, const Term& term) {
  Vector sums = Vector::Zero(static_cast<Index>(columns.size()));
  for (int turn = 0; turn < share.ranks.ranks(); ++turn) {
    const bool here = turn == share.ranks.rank();
    if (here) add_rows(columns, 0, rows, term, sums);
    sums = values_of_all(&share, here ? sums : Vector())[static_cast<std::size_t>(turn)];
  }
  return sums;
}

template <class Term>
Vector sums_over_files(const NumericColumns& columns, const std::vector<Index>& rows, const FileShare* share,
                       const Term& term) {
  const Vector zero = Vector::Zero(static_cast<Index>(columns.size()));
  std::vector<Vector> of_files;
  Index first = 0;
  for (const Index count : rows) {
    add_rows(columns, first, count, term, of_files.emplace_back(zero));
    first += count;
  }
  Vector sums = zero;
  for (const auto& of_rank : values_of_all(share, of_files))
    for (const auto& of_file : of_rank) sums += of_file;
  return sums;
}

}  // namespace

void standardise_over_files(const JoinedData<io::Table>& joined, const FileShare* share, Encoding& encoding) {
  NumericColumns numbers;
  std::vector<EncodedColumn*> encoded;
  for (auto& column : encoding.columns) {
    if (!column.numeric) continue;
    encoded.push_back(&column);
    numbers.push_back(&joined.data.column(column.source).numbers);
  }
  const auto means_of = [&](const auto& term) {
    const Vector sums = share && share->parts ? sums_over_parts(numbers, joined.data.rows, *share, term)
                                              : sums_over_files(numbers, joined.rows, share, term);
    return Vector(sums / static_cast<double>(joined.total));
  };
  const Vector means = means_of([](Index, double v) { return v; });
  const Vector squares = means_of([&](Index j, double v) { return (v - means[j]) * (v - means[j]); });
  for (Index j = 0; j < means.size(); ++j) {
    EncodedColumn& column = *encoded[static_cast<std::size_t>(j)];
    const double deviation = std::sqrt(squares[j]);
    column.mean = means[j];
    column.scale = deviation > 0 ? deviation : 1;
  }
}

}  // namespace bridle
