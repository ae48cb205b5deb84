// Sparse data in the LIBSVM text format: "label index:value index:value ... # comment".
#pragma once

#include <string>

#include "bridle/core/types.hpp"

namespace bridle::io {

struct SparseData {
  SparseRows features;  // one row per line
  Vector labels;
};

// Indices start at 1 and increase along a line. The number of columns is the largest index, or min_columns if
// that is larger (a test file may lack the last features of its training file). Plain or gzip.
SparseData read_libsvm(const std::string& path, Index min_columns = 0);

// True if the first line with data is a number followed by index:value pairs. Throws only if the file is
// unreadable.
bool looks_like_libsvm(const std::string& path);

}  // namespace bridle::io
