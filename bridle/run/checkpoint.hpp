// Checkpoint files: a header, a fingerprint of problem and options, the state's bytes, a checksum. Replaced
// atomically.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bridle/problem/problem.hpp"
#include "bridle/run/options.hpp"

namespace bridle {

// Equal for equal problems and options that decide the run; differs for another one.
std::uint64_t fingerprint(const Problem& problem, const SolveOptions& options);

// Writes beside the file, flushes, renames over it. Throws InputError when the place cannot be written.
void write_checkpoint(const std::string& path, std::uint64_t fingerprint, const std::string& payload);

// Throws InputError where the file of this name is something else, or cannot be read.
void refuse_what_is_no_checkpoint(const std::string& path);

// The payload; nothing when there is no file; InputError when it cannot be read, is damaged or of another
// run.
std::optional<std::string> read_checkpoint(const std::string& path, std::uint64_t fingerprint);

}  // namespace bridle
