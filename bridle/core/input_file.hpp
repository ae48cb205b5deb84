// Opens files that are read. What comes from a pipe is kept, since readers look at a file more than once;
// what was read is remembered, so that no output takes its place.
#pragma once

#include <optional>
#include <string>

namespace bridle {

// A descriptor at the beginning of the file, which the caller closes. A pipe, a terminal or /dev/stdin is
// read to its end the first time and again from memory later on. Throws InputError for what cannot be opened
// or read.
int open_input(const std::string& path);

// All bytes of the file, by the same way.
std::string read_input(const std::string& path);

// All bytes of a file that a run reads and later replaces, its checkpoint: nothing where there is none, and
// it is not remembered. One that is there but cannot be read is an error as above.
std::optional<std::string> read_own(const std::string& path);

// Whether this process has read the regular file of that name, under whichever name.
bool was_read(const std::string& path);

}  // namespace bridle
