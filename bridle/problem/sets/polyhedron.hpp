// The polyhedron { x : H x <= h } with a modest number of dense rows.
#pragma once

#include <span>
#include <vector>

#include "bridle/problem/set.hpp"

namespace bridle {

// Rows may be redundant, repeated or opposite (an equation as two inequalities); a row with h_i = infinity
// says nothing. Rows that contradict one another by less than a relative 1e-9 count as rounded, not as
// contradictory. Rows that are nearly but not quite parallel cost digits, as 1e-16 / angle.
class Polyhedron {
 public:
  Polyhedron(const Matrix& rows, const Vector& limits);

  Index dimension() const { return normals_.rows(); }
  void project(VectorRef x) const;
  // T = { d : H_i d <= 0 for the rows i that x touches }.
  void project_tangent(ConstVectorRef x, VectorRef direction) const;
  void make_admissible(VectorRef) const {}
  Polyhedron scaled(ConstVectorRef scale) const;

  LinearDescription description() const {
    return LinearDescription::of_rows(normals_.transpose(), Vector::Constant(limits_.size(), -infinity),
                                      limits_);
  }

 private:
  [[noreturn]] void throw_empty(const std::vector<Index>& contradiction) const;

  Matrix normals_;             // the rows of H that bound something, one per column, each of length 1
  Vector limits_;              // their h
  std::vector<Index> source_;  // where they stood in H, for messages
};

}  // namespace bridle
