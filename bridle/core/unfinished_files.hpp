// Files that must not outlive the process, whatever ends it: remove_unfinished_files() of
// core/atomic_file.hpp removes those that are on this list.
#pragma once

#include <string>

namespace bridle {

// Its place on the list, or -1 where there is none: the list is short.
int enter_unfinished(const std::string& name);
// slot <- -1
void leave_unfinished(int& slot);

}  // namespace bridle
