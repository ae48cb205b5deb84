// The [variables] section: the set X, by variable name or pattern.
#pragma once

#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/problem/set.hpp"

namespace bridle {

// The variables that a name or pattern stands for; an error at `node` when there are none.
std::vector<Index> matching(const Names& names, const std::string& pattern, const TomlSection& section,
                            const toml::node& node, const std::string& key);

// `bounds` are those that files and constraints have given so far. The section's own replace those of the
// objective's file and are narrowed by `stated`, those of the constraints.
AnySet read_set(TomlSection& section, const Names& names, Bounds bounds, const Bounds& stated);

}  // namespace bridle
