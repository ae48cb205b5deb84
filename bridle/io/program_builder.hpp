// Collects a linear program piece by piece as the LP and MPS readers find it, and checks the whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bridle/io/linear_program.hpp"
#include "bridle/io/text.hpp"

namespace bridle::io {

// Names in order of first appearance, with their positions.
class NameIndex {
 public:
  // -1 if there is no such name.
  int find(std::string_view name) const {
    const auto known = positions_.find(name);
    return known != positions_.end() ? known->second : -1;
  }
  int add(std::string_view name) {
    const int position = static_cast<int>(names_.size());
    positions_.emplace(std::string(name), position);
    names_.emplace_back(name);
    return position;
  }
  const Names& names() const { return names_; }
  int size() const { return static_cast<int>(names_.size()); }

 private:
  Names names_;
  std::unordered_map<std::string, int, TextHash, std::equal_to<>> positions_;
};

// Numbers this large in bounds and sides mean infinity (the rule of CPLEX and Gurobi; others write 1e30).
inline double widened(double bound) {
  constexpr double infinite_from = 1e20;
  return bound >= infinite_from ? infinity : bound <= -infinite_from ? -infinity : bound;
}

class ProgramBuilder {
 public:
  using Entry = Eigen::Triplet<double>;

  ProgramBuilder(std::string where, DefaultBounds defaults)
      : where_(std::move(where)), default_lower_(defaults == DefaultBounds::free ? -infinity : 0.0) {}

  struct Variable {
    double cost = 0;
    double lower = 0, upper = infinity;
    bool lower_given = false, upper_given = false;
    bool bounded = false;
    bool integer = false;
    long first_line = 0;  // where it is first named
    long line = 0;        // of its last bound
  };
  struct Row {
    std::string name;  // may be empty
    double lower = -infinity, upper = infinity;
    long line = 0;
  };

  // The variable of that name, a new one (first named in that line) if there is none.
  int variable(std::string_view name, long line);
  int find_variable(std::string_view name) const { return names_.find(name); }
  const Names& variable_names() const { return names_.names(); }

  // Bounds as the files give them; repeated bounds replace earlier ones.
  void set_lower(int variable, double value, long line);
  void set_upper(int variable, double value, long line);

  std::vector<Variable> variables;
  std::vector<Row> rows;
  std::vector<Entry> entries;                          // repeated positions add up
  std::vector<Entry> hessian_entries;                  // both triangles; repeated positions add up
  std::map<Index, std::vector<Entry>> square_entries;  // the same, of rows
  double offset = 0;
  bool maximise = false;
  std::string objective_name;

  // Throws InputError if a bound or side makes no sense.
  LinearProgram finish();

 private:
  void check() const;
  void check_pair(const std::string& what, double low, double high, long line, const char* hint) const;
  void name_rows(LinearProgram& program) const;
  void fill_vectors(LinearProgram& program) const;
  void fill_matrices(LinearProgram& program) const;

  std::string where_;
  double default_lower_;
  NameIndex names_;
};

}  // namespace bridle::io
