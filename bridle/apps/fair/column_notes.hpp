// Columns of a table that are hardly what they seem.
#pragma once

#include "bridle/io/csv.hpp"

namespace bridle {

// Text with a category for nearly every row, and whole numbers that are all different: names and ids, which a
// model learns by heart. Those under `keep` are left alone; throws InputError where one of them is not in the
// table.
Names columns_like_ids(const io::Table& table, const Names& keep);
// Numeric columns with three to ten distinct values, all of them whole: they may be codes of categories.
Names columns_like_codes(const io::Table& table);

}  // namespace bridle
