#include "bridle/finish/projector.hpp"

#include <algorithm>
#include <cmath>

namespace bridle {
namespace {

constexpr Index many = 4;  // rows per variable, from which on they are selected
constexpr int most_rounds = 40;
constexpr double broken = 1e-12;  // relative to 1 + |A x| of the row

}  // namespace

std::optional<Projector> Projector::of(const Problem& problem) {
  auto description = problem.set().description();
  if (!description) return std::nullopt;
  Projector out(problem, std::move(*description));
  out.all_ = problem.rows().count() <= many * problem.dimension() + 100;
  if (out.all_) {
    out.feasible_ = FeasibleSet::of(problem);
    if (!out.feasible_) return std::nullopt;
    return out;
  }
  out.selected_.assign(static_cast<std::size_t>(problem.rows().count()), 0);
  std::vector<Index> equalities;
  for (Index i = 0; i < problem.rows().count(); ++i)
    if (problem.rows().is_equality(i)) equalities.push_back(i);
  out.select(equalities);
  if (!out.feasible_) return std::nullopt;
  return out;
}

void Projector::select(const std::vector<Index>& more) {
  for (const Index i : more) selected_[static_cast<std::size_t>(i)] = 1;
  selection_.insert(selection_.end(), more.begin(), more.end());
  std::vector<Eigen::Triplet<double>> entries;
  const auto count = static_cast<Index>(selection_.size());
  for (Index k = 0; k < count; ++k)
    for (SparseRows::InnerIterator it(rows_.matrix, selection_[static_cast<std::size_t>(k)]); it; ++it)
      entries.emplace_back(k, it.col(), it.value());
  SparseRows matrix(count, rows_.matrix.cols());
  matrix.setFromTriplets(entries.begin(), entries.end());
  feasible_ = FeasibleSet::of(set_, matrix, rows_.lower(selection_), rows_.upper(selection_));
}

std::vector<Index> Projector::most_broken(const Vector& x, Index count) const {
  const Vector activity = rows_.matrix * x;
  std::vector<std::pair<double, Index>> found;
  for (Index i = 0; i < activity.size(); ++i) {
    if (selected_[static_cast<std::size_t>(i)]) continue;
    const double by = std::max(rows_.lower[i] - activity[i], activity[i] - rows_.upper[i]);
    if (by > broken * (1 + std::abs(activity[i])))
      found.emplace_back(-by / std::sqrt(rows_.matrix.row(i).squaredNorm()), i);
  }
  const auto kept = std::min(found.size(), static_cast<std::size_t>(count));
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  std::vector<Index> out;
  for (std::size_t k = 0; k < kept; ++k) out.push_back(found[k].second);
  return out;
}

FeasibleSet::Projection Projector::project(const Vector& centre, const Vector& metric, const Vector* near,
                                           FeasibleSet::Step step) {
  ++projections_;
  if (all_) return feasible_->project(centre, metric, near, step);
  FeasibleSet::Projection out;
  for (int round = 0; round < most_rounds && feasible_; ++round) {
    const auto found = feasible_->project(centre, metric, near, step);
    if (!found.x.allFinite()) break;
    const auto more = most_broken(found.x, centre.size());
    if (more.empty()) {
      out.x = found.x;
      out.exact = found.exact;
      out.multipliers = Vector::Zero(rows_.count());
      out.multipliers(selection_) = found.multipliers;
      return out;
    }
    select(more);
  }
  out.x = Vector::Constant(centre.size(), std::nan(""));
  out.multipliers = Vector::Zero(rows_.count());
  return out;
}

}  // namespace bridle
