// Data in several files, read as if it were one: the rows of the first, then those of the next.
#pragma once

#include "bridle/apps/data/encoding.hpp"
#include "bridle/apps/data/file_share.hpp"
#include "bridle/io/csv.hpp"
#include "bridle/io/libsvm.hpp"

namespace bridle {

template <class Data>
struct JoinedData {
  Data data;
  std::vector<Index> rows;  // that came from each file
  Index total = 0;          // rows of all files, wherever they are read
};

// With a share, `data` has the rows of this process's files, and columns and categories of all.
// `intercept`: a last column of ones.
JoinedData<io::SparseData> read_libsvm_files(const Names& files, bool intercept,
                                             const FileShare* share = nullptr);
// All files have the same columns in the same order. Throws InputError.
JoinedData<io::Table> read_csv_files(const Names& files, const io::CsvOptions& options,
                                     const FileShare* share = nullptr);

// Means and deviations of the numeric columns over all files. Sums are taken file by file, so that they do
// not depend on who reads which.
void standardise_over_files(const JoinedData<io::Table>& joined, const FileShare* share, Encoding& encoding);

}  // namespace bridle
