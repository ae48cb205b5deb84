// What to tell a user of numbers whose commas and points may mean something else than they are taken for.
#pragma once

#include "bridle/io/csv.hpp"

namespace bridle {

// Decimal commas that were taken for such.
Names notes_on_decimal_commas(const io::Table& table);
// Points that were taken for decimal ones beside columns with decimal commas, and look like thousands.
Names notes_on_points(const io::Table& table, const Names& excluded);

// Both.
Names notes_on_numbers(const io::Table& table);

}  // namespace bridle
