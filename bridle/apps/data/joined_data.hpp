// Data whose rows become those of one.
#pragma once

#include "bridle/io/csv.hpp"
#include "bridle/io/libsvm.hpp"

namespace bridle {

// A table without its rows, as ranks tell each other.
struct TableHeader {
  io::Table table;

  template <class Archive>
  void transfer(Archive& archive) {
    std::size_t columns = table.columns.size();
    archive(table.file, table.rows, table.dropped_rows, table.separator, columns);
    table.columns.resize(columns);
    for (auto& column : table.columns)
      archive(column.name, column.header, column.position, column.numeric, column.categories,
              column.comma_example, column.point_example);
  }
};

TableHeader header_of(const io::Table& table);

// The rows of `more` come behind those that are there; of a header there are none. Throws InputError where a
// table has other columns.
void append(io::SparseData& data, const io::SparseData& more);
void append(io::Table& table, const io::Table& more);

// The rows of a table under a header that others went into as well.
io::Table rows_in_columns_of(io::Table header, io::Table table);

// Whether a column has decimal commas in one and points in the other.
bool contradict_on_commas(const io::Table& table, const io::Table& other);

}  // namespace bridle
