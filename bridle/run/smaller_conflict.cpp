#include "bridle/run/smaller_conflict.hpp"

#include <algorithm>

#include "bridle/finish/rays.hpp"

namespace bridle {
namespace {

constexpr std::size_t most_rows = 30;   // that are tried
constexpr double most_entries = 1e5;    // of these rows, and variables
constexpr double quick_system = 5e4;    // entries: factorised in milliseconds
constexpr double little_weight = 1e-6;  // of a row in the proof: it is not named

// The rows with weight in a proof, the lightest first: those are the likeliest to be innocent.
std::vector<Index> weighty_rows(const Rows& rows, const Vector& ray) {
  std::vector<Index> out;
  Vector weight(rows.count());
  for (Index i = 0; i < rows.count(); ++i) {
    weight[i] = std::abs(ray[i]) * std::sqrt(rows.matrix.row(i).squaredNorm());
    if (weight[i] >= little_weight) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(), [&](Index a, Index b) { return weight[a] < weight[b]; });
  return out;
}

// By these rows alone.
std::optional<Infeasibility> proof_by(const Problem& problem, const std::vector<Index>& kept) {
  const Rows& rows = problem.rows();
  const auto count = static_cast<Index>(kept.size());
  Rows some{SparseRows(count, problem.dimension()), Vector(count), Vector(count), {}};
  std::vector<Eigen::Triplet<double>> entries;
  for (Index k = 0; k < count; ++k) {
    const Index i = kept[static_cast<std::size_t>(k)];
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it)
      entries.emplace_back(k, it.col(), it.value());
    some.lower[k] = rows.lower[i];
    some.upper[k] = rows.upper[i];
    some.names.push_back(rows.names[static_cast<std::size_t>(i)]);
  }
  some.matrix.setFromTriplets(entries.begin(), entries.end());
  const auto least = contradiction(problem.with_all_rows(std::move(some)), quick_system);
  if (!least) return {};
  const Index of_set = least->y.size() - count;
  Vector y = Vector::Zero(rows.count() + of_set);
  for (Index k = 0; k < count; ++k) y[kept[static_cast<std::size_t>(k)]] = least->y[k];
  y.tail(of_set) = least->y.tail(of_set);
  return prove_infeasible(problem, y);
}

}  // namespace

Infeasibility smaller_conflict(const Problem& problem, Infeasibility proof) {
  std::vector<Index> kept = weighty_rows(problem.rows(), proof.ray);
  double entries = static_cast<double>(problem.dimension());
  for (const Index i : kept) entries += static_cast<double>(problem.rows().matrix.row(i).nonZeros());
  if (kept.size() > most_rows || entries > most_entries) return proof;
  for (const Index tried : std::vector<Index>(kept)) {
    std::vector<Index> others = kept;
    if (std::erase(others, tried) == 0 || others.empty()) continue;
    if (auto smaller = proof_by(problem, others)) {
      proof = std::move(*smaller);
      kept = weighty_rows(problem.rows(), proof.ray);
    }
  }
  return proof;
}

}  // namespace bridle
