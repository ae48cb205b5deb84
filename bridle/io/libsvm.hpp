// Sparse data in the LIBSVM text format: "label index:value index:value ... # comment".
#pragma once

#include <string>
#include <utility>

#include "bridle/core/types.hpp"
#include "bridle/io/line_reader.hpp"

namespace bridle::io {

struct SparseData {
  SparseRows features;  // one row per line
  Vector labels;

  SparseData() = default;
  // Eigen 3.4 copies sparse matrices that are moved from; data sets are too large for that.
  SparseData(SparseData&& other) noexcept : labels(std::move(other.labels)) { features.swap(other.features); }
  SparseData& operator=(SparseData&& other) noexcept {
    features.swap(other.features);
    labels.swap(other.labels);
    return *this;
  }
};

struct LibsvmOptions {
  bool intercept = false;  // one column more, the last, all ones: every row ends with it
  ByteRange part = {};     // the lines to read
};

// Indices start at 1 and increase along a line. The number of columns is the largest index; widen makes room
// for more. Plain or gzip.
SparseData read_libsvm(const std::string& path, const LibsvmOptions& options = {});

// Room for columns that only other files have: their number without the intercept, which stays the last.
void widen(SparseRows& features, Index columns, bool intercept);

// True if the first line with data is a number followed by index:value pairs. Throws only if the file is
// unreadable.
bool looks_like_libsvm(const std::string& path);

}  // namespace bridle::io
