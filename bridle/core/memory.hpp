// How much memory there is, so that a file or an option that asks for too much is refused in one line before
// the machine is brought down.
#pragma once

#include <string>

namespace bridle {

// Bytes this process can still take: what the machine has free, within the limits of its control group and of
// `ulimit -v`. Infinite where the system does not tell.
double free_memory();

// Throws InputError where `bytes` are more than there is: "WHAT needs about 4.8 GB of memory, and 2.1 GB are
// free". `file` may be empty.
void require_memory(double bytes, const std::string& file, const std::string& what);

// "4.8 GB"
std::string bytes_in_words(double bytes);

}  // namespace bridle
