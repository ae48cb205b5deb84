#include "bridle/algorithms/representations/split.hpp"

#include <algorithm>

namespace bridle {
namespace {

constexpr Index few_rows = 8;  // so many are carried whatever their length

// Most entries of a short row.
Index most_short(Index variables) { return std::clamp<Index>(variables / 16, 2, 64); }

std::vector<bool> in_rows(const SparseRows& matrix) {
  std::vector<bool> out(static_cast<std::size_t>(matrix.cols()));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (SparseRows::InnerIterator it(matrix, i); it; ++it) out[static_cast<std::size_t>(it.col())] = true;
  return out;
}

// Whether only a sample's gradient can push x beyond its bounds: between two touches x stays between x, z
// and, with a ridge, 0.
bool is_harmless(double lower, double upper, double z, double ridge) {
  return z >= lower && z <= upper && (ridge == 0 || (lower <= 0 && upper >= 0));
}

Index entries_of(const SparseRows& matrix, Index row) {
  return matrix.outerIndexPtr()[row + 1] - matrix.outerIndexPtr()[row];
}

}  // namespace

Split split_of(const StandardForm& form, const ModeClasses& classes, const Bounds& bounds, const Vector& z) {
  const SparseRows& matrix = form.matrix();
  const std::vector<bool> has_row = in_rows(matrix);
  std::vector<bool> chosen(has_row.size());
  Split out;
  for (Index j = 0; j < form.variables(); ++j) {
    const double lower = bounds.lower[j], upper = bounds.upper[j];
    if (lower == -infinity && upper == infinity) continue;
    if (!has_row[static_cast<std::size_t>(j)] && is_harmless(lower, upper, z[j], classes.ridge_of(j)))
      continue;
    chosen[static_cast<std::size_t>(j)] = true;
    ++out.bounded;
  }
  if (matrix.rows() > few_rows)
    for (Index i = 0; i < matrix.rows(); ++i)
      if (entries_of(matrix, i) <= most_short(matrix.cols()))
        for (SparseRows::InnerIterator it(matrix, i); it; ++it)
          chosen[static_cast<std::size_t>(it.col())] = true;

  for (Index j = 0; j < form.variables(); ++j)
    if (chosen[static_cast<std::size_t>(j)]) out.block.push_back(j);
  for (Index i = 0; i < matrix.rows(); ++i) {
    bool inside = true;
    for (SparseRows::InnerIterator it(matrix, i); it && inside; ++it)
      inside = chosen[static_cast<std::size_t>(it.col())];
    if (inside)
      out.short_entries += entries_of(matrix, i);
    else
      out.carried.push_back(i);
  }
  if (out.block.empty()) return out;
  out.place.assign(chosen.size(), -1);
  for (std::size_t k = 0; k < out.block.size(); ++k)
    out.place[static_cast<std::size_t>(out.block[k])] = static_cast<std::int32_t>(k);
  return out;
}

SparseRows carried_rows(const StandardForm& form, const Split& split) {
  SparseRows out(static_cast<Index>(split.carried.size()), form.variables());
  for (std::size_t k = 0; k < split.carried.size(); ++k) {
    out.startVec(static_cast<Index>(k));
    for (SparseRows::InnerIterator it(form.matrix(), split.carried[k]); it; ++it)
      if (split.place_of(it.col()) < 0) out.insertBack(static_cast<Index>(k), it.col()) = it.value();
  }
  out.finalize();
  return out;
}

}  // namespace bridle
