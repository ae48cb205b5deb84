// What to tell a user of numbers whose commas and points may mean something else than they are taken for.
#pragma once

#include "bridle/io/csv.hpp"

namespace bridle {

// Decimal commas that were taken for such.
Names notes_on_decimal_commas(const io::Table& table);
// Points that were taken for decimal ones beside columns with decimal commas, and look like thousands.
Names notes_on_points(const io::Table& table, const Names& excluded);

// Text columns whose values would all be numbers if it were not for commas, or points of thousands.
Names columns_of_numbers_as_text(const io::Table& table);
// `fate`: what became of the column.
std::string note_on_numbers_as_text(const io::Column& column, const std::string& fate);

// All of these. `left_alone`: text columns of which nothing is told.
Names notes_on_numbers(const io::Table& table, const Names& left_alone);

}  // namespace bridle
