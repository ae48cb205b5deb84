// MPS and QPS files. Used by read_linear_program only.
#pragma once

#include <string>

#include "bridle/io/linear_program.hpp"

namespace bridle::io {

// CoinUtils has a reader for this format, but it crashes on damaged files (a fault in
// CoinMpsCardReader::nextField), which a user's file must never do; the tests compare this reader with it on
// sound files.
LinearProgram read_mps(const std::string& path, DefaultBounds defaults);

}  // namespace bridle::io
