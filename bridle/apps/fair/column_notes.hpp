// Columns of a table that are hardly what they seem.
#pragma once

#include "bridle/io/csv.hpp"

namespace bridle {

// What to tell of them. Columns like ids, which a model learns by heart, join those that are excluded, unless
// they are under `keep`; throws InputError where one of these is not in the table. Excluded columns are not
// told of.
Names notes_on_columns(const io::Table& table, const Names& keep, Names& excluded);

}  // namespace bridle
