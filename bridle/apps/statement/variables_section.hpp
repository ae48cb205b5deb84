// The [variables] section: the set X, by variable name or pattern.
#pragma once

#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/problem/set.hpp"

namespace bridle {

// `bounds` are those that files have given so far; the section's own replace them.
AnySet read_set(TomlSection& section, const Names& names, Bounds bounds);

}  // namespace bridle
