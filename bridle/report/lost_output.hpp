// Output that could not be written: the run goes on, and the command does not end as if all were well.
#pragma once

#include <cstdio>
#include <string>

namespace bridle {

// Says so on standard error, once for every message, and remembers that there was one.
void report_lost_output(const std::string& message);
bool output_was_lost();

// Writes text and empties the stream's buffer. What cannot be written is reported as lost with the system's
// reason.
void print_checked(std::FILE* stream, const std::string& text);
// What was printed by other means: checked at the end.
void check_stream(std::FILE* stream);

}  // namespace bridle
