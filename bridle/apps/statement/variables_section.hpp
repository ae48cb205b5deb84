// The [variables] section: the set X, by variable name or pattern.
#pragma once

#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/problem/set.hpp"

namespace bridle {

// The variables that a name or pattern stands for; an error at `node` when there are none.
std::vector<Index> matching(const Names& names, const std::string& pattern, const TomlSection& section,
                            const toml::node& node, const std::string& key);

// `bounds` are those that files have given so far; the section's own replace them.
AnySet read_set(TomlSection& section, const Names& names, Bounds bounds);

}  // namespace bridle
