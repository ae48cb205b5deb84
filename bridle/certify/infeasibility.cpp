#include "bridle/certify/infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bridle {
namespace {

constexpr double no_weight = 1e-9;  // |y_i| |a_i| below this is dropped

// All rows of the problem and of X, one below the other.
struct AllRows {
  SparseRows matrix;
  Vector lower, upper, length;

  AllRows(const Rows& rows, const LinearDescription& set)
      : matrix(rows.count() + set.rows.rows(), rows.matrix.cols()) {
    const Index m = rows.count(), extra = set.rows.rows();
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](const SparseRows& part, Index offset) {
      for (Index i = 0; i < part.rows(); ++i)
        for (SparseRows::InnerIterator it(part, i); it; ++it)
          entries.emplace_back(offset + i, it.col(), it.value());
    };
    add(rows.matrix, 0);
    add(set.rows, m);
    matrix.setFromTriplets(entries.begin(), entries.end());
    lower.resize(m + extra);
    upper.resize(m + extra);
    lower << rows.lower, set.lower;
    upper << rows.upper, set.upper;
    length.resize(m + extra);
    for (Index i = 0; i < m + extra; ++i) {
      const double norm = std::sqrt(matrix.row(i).squaredNorm());
      length[i] = norm > 0 ? norm : 1;
    }
  }
};

// Scales y and drops what cannot help: entries of no weight, and a push against a bound that is not there.
void clean(const AllRows& rows, Vector& y) {
  for (Index i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]) || !is_finite(y[i] > 0 ? rows.upper[i] : rows.lower[i])) y[i] = 0;
  const double largest = y.size() ? y.cwiseProduct(rows.length).lpNorm<Eigen::Infinity>() : 0;
  if (largest == 0) return;
  y /= largest;
  for (Index i = 0; i < y.size(); ++i)
    if (std::abs(y[i]) * rows.length[i] < no_weight) y[i] = 0;
}

Names heaviest_rows(const Problem& problem, const AllRows& rows, const Vector& y) {
  std::vector<Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto weight = [&](Index i) { return std::abs(y[i]) * rows.length[i]; };
  std::erase_if(order, [&](Index i) { return weight(i) < 1e-6; });
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return weight(a) > weight(b); });
  Names out;
  for (const Index i : order) {
    const Index m = problem.rows().count();
    out.push_back(i < m ? problem.rows().names[static_cast<std::size_t>(i)]
                        : "row " + std::to_string(i - m + 1) + " of X");
  }
  return out;
}

}  // namespace

std::optional<Infeasibility> prove_infeasible(const Problem& problem, const Vector& y, double reach) {
  const auto set = problem.set().description();
  if (!set || problem.first_stochastic_row() < problem.rows().count()) return std::nullopt;
  const AllRows rows(problem.rows(), *set);
  Infeasibility proof;
  proof.ray = Vector::Zero(rows.lower.size());
  proof.ray.head(y.size()) = y;
  clean(rows, proof.ray);

  // What is summed up, and the sum of its absolute values, which bounds the rounding.
  double margin = 0, magnitude = 0;
  Vector price = Vector::Zero(problem.dimension()), price_magnitude = price;
  double most_terms = static_cast<double>(proof.ray.size() + problem.dimension());
  for (Index i = 0; i < proof.ray.size(); ++i) {
    const double weight = proof.ray[i];
    if (weight == 0) continue;
    const double highest = weight * (weight > 0 ? rows.upper[i] : rows.lower[i]);
    margin -= highest;
    magnitude += std::abs(highest);
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
      price[it.col()] += weight * it.value();
      price_magnitude[it.col()] += std::abs(weight * it.value());
    }
  }
  const double unit = most_terms * std::numeric_limits<double>::epsilon();
  double leak = 0;
  for (Index j = 0; j < price.size(); ++j) {
    const double doubt = unit * price_magnitude[j];
    double lowest = infinity;  // of p x_j over the bounds and over the prices p that rounding allows
    bool leaks = false;
    for (const double p : {price[j] - doubt, price[j] + doubt}) {
      if (p == 0) {
        lowest = std::min(lowest, 0.0);
        continue;
      }
      const double bound = p > 0 ? set->bounds.lower[j] : set->bounds.upper[j];
      leaks = leaks || !is_finite(bound);
      if (is_finite(bound)) lowest = std::min(lowest, p * bound);
    }
    if (leaks) {
      leak += std::abs(price[j]) + doubt;
      lowest = std::min(lowest, 0.0);
    }
    margin += lowest;
    magnitude += std::abs(lowest);
  }
  proof.margin = margin - unit * magnitude;
  proof.reach = leak > 0 ? proof.margin / leak : infinity;
  if (!(proof.margin > 0) || !(proof.reach >= reach)) return std::nullopt;
  proof.conflict = heaviest_rows(problem, rows, proof.ray);
  return proof;
}

}  // namespace bridle
