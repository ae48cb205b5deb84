// Whose rates are compared: people of a group, all of them or those of one class of the target.
#pragma once

#include <optional>

#include "bridle/apps/fair/fair_data.hpp"

namespace bridle {

// Which rates of positive decisions shall be alike in all groups.
enum class Measure {
  demographic_parity,   // of everybody
  equal_opportunity,    // of those with a positive label: true positive rates
  predictive_equality,  // of those with a negative label: false positive rates
  equalised_odds        // both of the last two
};
const Names& measure_names();  // as users write them, in the order above
std::string_view to_string(Measure measure);
std::optional<Measure> find_measure(std::string_view name);

// The column of all combinations of the attributes' groups that the training data has. `trained` is that
// column of the training data, where this is other data.
Attribute intersection_of(const std::vector<Attribute>& attributes, const Attribute* trained = nullptr);

struct Cell {
  std::size_t attribute = 0;
  std::int32_t group = 0;
  int label = 0;     // 0: everybody of the group; 1, -1: those with this label
  Index people = 0;  // never 0 in the training data
};

// The cells of a measure over a data set. Every person is in at most one cell of each attribute.
class Cells {
 public:
  // Of training data; a cell with fewer people than `fewest` is left out. Throws InputError where fewer than
  // two groups of an attribute are left to compare.
  Cells(const FairData& data, Measure measure, Index fewest = 1);
  // The same cells over other data, where some may be empty.
  Cells over(const FairData& other) const;

  Measure measure() const { return measure_; }
  std::size_t size() const { return cells_.size(); }
  const Cell& operator[](std::size_t cell) const { return cells_[cell]; }
  std::size_t attributes() const { return of_.size(); }
  // The cell of each person, -1 for those in none.
  const std::vector<std::int32_t>& of(std::size_t attribute) const { return of_[attribute]; }
  // How many of each cell have a positive score.
  Vector selected(const Vector& scores) const;
  // People whose group has no cell because it is too small.
  Index left_out() const { return left_out_; }
  // Cells that there are not, because the training data has nobody for them: "sex = f, positive label".
  const Names& empty() const { return empty_; }

 private:
  Cells() = default;
  void sort_people(const FairData& data);

  Measure measure_ = Measure::demographic_parity;
  std::vector<Cell> cells_;
  std::vector<std::vector<std::int32_t>> of_;
  Index left_out_ = 0;
  Names empty_;
};
std::string cell_name(const std::string& attribute, const std::string& group, int label);

// first_factor rate(first) - second_factor rate(second) within [lower, upper].
struct RateRow {
  std::size_t first = 0, second = 0;  // cells
  double first_factor = 1, second_factor = 1;
  double lower = -infinity, upper = infinity;
  double unit = 1;  // what a step inside the bounds is measured in

  double value(const Vector& rates) const {
    return first_factor * rates[static_cast<Index>(first)] -
           second_factor * rates[static_cast<Index>(second)];
  }
};

// Of any two groups of an attribute and a label: rates within `gap` of each other.
std::vector<RateRow> gap_rows(const Cells& cells, double gap);
// The lower rate at least `ratio` of the higher one: two rows for any two groups.
std::vector<RateRow> ratio_rows(const Cells& cells, double ratio);

// How far the counts are beyond a row's bounds, in rates; 0 where it holds. Decided in whole people, so that
// 2 of 100 is a gap of 0.02 whatever the rounding.
double excess(const RateRow& row, const Cells& cells, const Vector& selected);
double largest_excess(const std::vector<RateRow>& rows, const Cells& cells, const Vector& selected);

// Rates from counts; 0 for empty cells.
Vector rates_of(const Cells& cells, const Vector& selected);

}  // namespace bridle
