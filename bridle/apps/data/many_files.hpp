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

// Thrown by all ranks together: of some of them no row would be kept, and there are other ways to read the
// data.
class PartWithoutRows : public ErrorOfAll {
 public:
  using ErrorOfAll::ErrorOfAll;
};

// With a share, `data` has the rows of this process's files, and columns and categories of all.
// `intercept`: a last column of ones.
JoinedData<io::SparseData> read_libsvm_files(const Names& files, bool intercept,
                                             const FileShare* share = nullptr);
// All files have the same columns in the same order. Throws InputError. Ranks that read parts of one file
// have the rows, columns and categories that a reader of all of it has.
JoinedData<io::Table> read_csv_files(const Names& files, const io::CsvOptions& options,
                                     const FileShare* share = nullptr);

// Means and deviations of the numeric columns over all files. Sums are taken file by file, and of parts of
// one file in the order of its rows, so that they do not depend on who reads which.
void standardise_over_files(const JoinedData<io::Table>& joined, const FileShare* share, Encoding& encoding);

}  // namespace bridle
