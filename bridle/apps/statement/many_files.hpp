// Data in several files, read as if it were one: the rows of the first, then those of the next.
#pragma once

#include "bridle/io/csv.hpp"
#include "bridle/io/libsvm.hpp"

namespace bridle {

template <class Data>
struct JoinedData {
  Data data;
  std::vector<Index> rows;  // that came from each file
};

JoinedData<io::SparseData> read_libsvm_files(const Names& files);
// All files have the same columns in the same order. Throws InputError.
JoinedData<io::Table> read_csv_files(const Names& files, const io::CsvOptions& options);

}  // namespace bridle
