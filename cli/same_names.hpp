// Two outputs, or an input and an output, with the same name: refused before anything is read.
#pragma once

#include <CLI/CLI.hpp>

namespace bridle::cli {

// Throws InputError; looks at the options of the command that was chosen. Files that are named within other
// files are looked at when an output is opened.
void refuse_same_names(const CLI::App& command);

}  // namespace bridle::cli
