#include "bridle/problem/sets/polyhedron.hpp"

#include <cmath>
#include <string>

#include "bridle/problem/sets/check.hpp"
#include "bridle/problem/sets/dual_active_set.hpp"

namespace bridle {

Polyhedron::Polyhedron(const Matrix& rows, const Vector& limits) {
  const Index dimension = detail::checked_dimension("polyhedron", rows.cols());
  if (rows.rows() != limits.size())
    throw InputError("polyhedron: " + std::to_string(rows.rows()) + " rows but " +
                     std::to_string(limits.size()) + " limits; one limit per row is required");
  normals_.resize(dimension, rows.rows());
  limits_.resize(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::string row = "row " + std::to_string(i);
    for (Index j = 0; j < dimension; ++j)
      detail::checked_finite("polyhedron", row + " has entry", rows(i, j));
    if (std::isnan(limits[i]) || limits[i] == -infinity)
      throw InputError("polyhedron: " + row + " has limit " + detail::text(limits[i]) +
                       "; a number or +infinity is required");
    const double largest = rows.row(i).cwiseAbs().maxCoeff();
    if (largest == 0 && limits[i] < 0)
      throw InputError("polyhedron: " + row + " is zero and has limit " + detail::text(limits[i]) +
                       "; a zero row needs a limit >= 0");
    if (largest == 0 || limits[i] == infinity) continue;
    const Index kept = static_cast<Index>(source_.size());
    auto normal = normals_.col(kept);
    normal = rows.row(i).transpose() / largest;
    const double length = normal.norm();
    normal /= length;
    limits_[kept] =
        detail::checked_finite("polyhedron", row + " has limit / length", limits[i] / largest / length);
    source_.push_back(i);
  }
  normals_.conservativeResize(dimension, static_cast<Index>(source_.size()));
  limits_.conservativeResize(static_cast<Index>(source_.size()));

  Vector origin = Vector::Zero(dimension);
  project(origin);  // throws if the set is empty
}

void Polyhedron::project(VectorRef x) const {
  detail::Scratch<Index> rows(limits_.size());
  for (Index i = 0; i < limits_.size(); ++i) rows[i] = i;
  const std::span<const double> limits(limits_.data(), source_.size());
  const auto contradiction = detail::DualActiveSet(normals_, limits, rows.first(limits_.size())).project(x);
  if (!contradiction.empty()) throw_empty(contradiction);
}

void Polyhedron::project_tangent(ConstVectorRef x, VectorRef direction) const {
  detail::Scratch<Index> touched(limits_.size());
  Index count = 0;
  const double length = x.norm();
  for (Index i = 0; i < limits_.size(); ++i)
    if (normals_.col(i).dot(x) >= limits_[i] - active_tolerance * (std::abs(limits_[i]) + length))
      touched[count++] = i;
  // A cone holds 0, so there is no contradiction to report.
  detail::DualActiveSet(normals_, {}, touched.first(count)).project(direction);
}

Polyhedron Polyhedron::scaled(ConstVectorRef scale) const {
  return {normals_.transpose() * scale.asDiagonal(), limits_};
}

void Polyhedron::throw_empty(const std::vector<Index>& contradiction) const {
  std::string list;
  for (const Index i : contradiction)
    list += (list.empty() ? "" : ", ") + std::to_string(source_[static_cast<std::size_t>(i)]);
  throw InputError("polyhedron: no x satisfies rows " + list + " together; H x <= h must have a solution");
}

}  // namespace bridle
