// From a table to the columns of a linear model: numbers (standardised if wished), one column per category,
// intercept.
#pragma once

#include "bridle/io/csv.hpp"
#include "bridle/problem/objectives/features.hpp"

namespace bridle {

struct EncodedColumn {
  std::string source;  // the table's column
  bool numeric = true;
  double mean = 0, scale = 1;  // a number v becomes (v - mean) / scale
  Names categories;            // sorted; category k becomes column first + k
  Index first = 0;             // first column of the model it fills
};

struct Encoding {
  std::vector<EncodedColumn> columns;
  bool intercept = true;  // the last column, all ones
  Names names;            // of the model's columns; usable in LP files

  Index width() const { return static_cast<Index>(names.size()); }
};

struct EncodingOptions {
  Names exclude = {};  // columns of the table that are no features (the target, sensitive attributes)
  bool standardise = false;
  bool intercept = true;
};

inline constexpr std::string_view intercept_name = "intercept";

// A name that CPLEX LP files can carry: characters outside [A-Za-z0-9_.] become '_'.
std::string safe_name(std::string_view text);

Encoding make_encoding(const io::Table& table, const EncodingOptions& options);

// What to tell a user of columns of text with so many values that they become a crowd of columns.
Names notes_on_many_columns(const Encoding& encoding);

// A ridge on every column but the intercept, which goes free; empty for none.
Vector ridge_weights(double ridge, const Names& columns);

// Sparse when fewer than 3 in 10 entries would be nonzero, dense otherwise. Categories the encoding does not
// know become all zeros; their number is added to `unseen`.
Features encode(const Encoding& encoding, const io::Table& table, Index* unseen = nullptr);
// The same, and takes the values of the encoded columns out of the table on the way: memory holds them once.
Features encode_and_drop(const Encoding& encoding, io::Table& table);

}  // namespace bridle
