#include "bridle/certify/infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bridle/certify/ray_refinement.hpp"

namespace bridle {
namespace {

constexpr double no_weight = 1e-15;           // |y_i| |a_i| below this is dropped
constexpr double rounding_of_price = 1e-15;   // of sum_i |a_ij y_i|
constexpr double rounding_of_data = 1.2e-16;  // of that sum: half a bit of every coefficient
constexpr double clear_margin = 1e-10;        // of all that the margin is a difference of
constexpr int hops = 3;

// All rows of the problem and of X, one below the other.
struct AllRows {
  SparseRows matrix;
  Vector lower, upper, length;

  AllRows(const Rows& rows, const LinearDescription& set) : matrix(stacked(rows.matrix, set.rows)) {
    const Index m = rows.count(), extra = set.rows.rows();
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

// The size of a variable: the largest of its finite bounds, of the value that it would take to fill a row's
// finite bound alone, and of what it takes in the tightest of its rows to balance the largest other variable,
// three rows away at most. 0 where nothing speaks of it.
Vector sizes(const AllRows& rows, const Bounds& bounds) {
  Vector out = Vector::Zero(rows.matrix.cols());
  for (Index j = 0; j < out.size(); ++j)
    for (const double bound : {bounds.lower[j], bounds.upper[j]})
      if (is_finite(bound)) out[j] = std::max(out[j], std::abs(bound));
  for (Index i = 0; i < rows.matrix.rows(); ++i) {
    double largest = 0;
    for (const double bound : {rows.lower[i], rows.upper[i]})
      if (is_finite(bound)) largest = std::max(largest, std::abs(bound));
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it)
      if (it.value() != 0) out[it.col()] = std::max(out[it.col()], largest / std::abs(it.value()));
  }
  for (int hop = 0; hop < hops; ++hop) {
    Vector balance = Vector::Constant(out.size(), infinity);
    for (Index i = 0; i < rows.matrix.rows(); ++i) {
      double largest = 0, second = 0;  // of |a_ik| size_k
      for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
        const double part = std::abs(it.value()) * out[it.col()];
        second = std::max(second, std::min(largest, part));
        largest = std::max(largest, part);
      }
      for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
        const double a = std::abs(it.value()), others = a * out[it.col()] < largest ? largest : second;
        if (a > 0 && others > 0) balance[it.col()] = std::min(balance[it.col()], others / a);
      }
    }
    for (Index j = 0; j < out.size(); ++j)
      if (is_finite(balance[j])) out[j] = std::max(out[j], balance[j]);
  }
  return out;
}

// A'y, so that what rounding may do stays far below what is proved; and sum_i |a_ij y_i|.
using Wide = long double;
struct Prices {
  WideVector price, magnitude;
};

Prices prices_of(const AllRows& rows, const WideVector& y) {
  Prices out{WideVector::Zero(rows.matrix.cols()), WideVector::Zero(rows.matrix.cols())};
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0) continue;
    for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
      out.price[it.col()] += y[i] * it.value();
      out.magnitude[it.col()] += std::abs(y[i] * it.value());
    }
  }
  return out;
}

std::string some_of_its_variables(const Problem& problem, const AllRows& rows, Index i) {
  std::string out;
  Index named = 0, more = 0;
  for (SparseRows::InnerIterator it(rows.matrix, i); it; ++it) {
    if (it.value() == 0) continue;
    if (named == 3)
      ++more;
    else
      out += (named++ ? ", " : "") + problem.variable_names()[static_cast<std::size_t>(it.col())];
  }
  return more ? out + " and " + std::to_string(more) + " more" : out;
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
                        : "the set of " + some_of_its_variables(problem, rows, i));
  }
  return out;
}

}  // namespace

std::optional<Infeasibility> prove_infeasible(const Problem& problem, const Vector& y) {
  const auto set = problem.set().description();
  if (!set || problem.first_stochastic_row() < problem.rows().count()) return std::nullopt;
  const AllRows rows(problem.rows(), *set);
  Infeasibility proof;
  proof.ray = Vector::Zero(rows.lower.size());
  proof.ray.head(y.size()) = y;
  clean(rows, proof.ray);

  const WideVector given = proof.ray.cast<long double>();
  const Prices prices = prices_of(rows, given);
  const auto most_terms = static_cast<Wide>(proof.ray.size() + problem.dimension());
  const Wide unit = most_terms * std::numeric_limits<Wide>::epsilon();
  // Without a bound, as far as rounding lets the price push it.
  const auto leaks = [&](Index j) {
    const Wide doubt = unit * prices.magnitude[j], low = prices.price[j] - doubt,
               high = prices.price[j] + doubt;
    return (high > 0 && !is_finite(set->bounds.lower[j])) || (low < 0 && !is_finite(set->bounds.upper[j]));
  };
  std::vector<Index> leaking;
  for (Index j = 0; j < problem.dimension(); ++j)
    if (leaks(j)) {
      if (!(std::abs(prices.price[j]) <= rounding_of_price * prices.magnitude[j])) return std::nullopt;
      leaking.push_back(j);
    }
  // What is left of these prices may be the rounding of y, or what the data says.
  if (WideVector nearby = given; cancel_prices(rows.matrix, leaking, nearby)) {
    const Prices there = prices_of(rows, nearby);
    for (const Index j : leaking)
      if (std::abs(there.price[j]) > rounding_of_data * there.magnitude[j]) return std::nullopt;
  }

  // What is summed up, and the sum of its absolute values, which bounds the rounding.
  Wide margin = 0, magnitude = 0, terms = 0, leak = 0;
  for (Index i = 0; i < given.size(); ++i) {
    if (given[i] == 0) continue;
    const Wide highest = given[i] * (given[i] > 0 ? rows.upper[i] : rows.lower[i]);
    margin -= highest;
    magnitude += std::abs(highest);
    terms += std::abs(highest);
  }
  const Vector size = sizes(rows, set->bounds);
  for (Index j = 0; j < problem.dimension(); ++j) {
    const Wide price = prices.price[j], doubt = unit * prices.magnitude[j];
    Wide lowest = infinity;  // of p x_j over the bounds and over the prices p that rounding allows
    for (const Wide p : {price - doubt, price + doubt}) {
      const double bound = p > 0 ? set->bounds.lower[j] : set->bounds.upper[j];
      if (p == 0)
        lowest = std::min<Wide>(lowest, 0);
      else if (is_finite(bound))
        lowest = std::min(lowest, p * bound);
    }
    if (leaks(j)) {
      leak += size[j] > 0 ? (std::abs(price) + doubt) * size[j] : infinity;
      lowest = std::min<Wide>(lowest, 0);
    }
    margin += lowest;
    magnitude += std::abs(lowest);
    const double bound = price > 0 ? set->bounds.lower[j] : set->bounds.upper[j];
    if (price != 0 && is_finite(bound)) terms += prices.magnitude[j] * std::abs(static_cast<Wide>(bound));
  }
  proof.margin = static_cast<double>(margin - unit * magnitude);
  proof.reach = leak > 0 ? static_cast<double>(proof.margin / leak) : infinity;
  if (!(proof.margin > static_cast<double>(clear_margin * terms)) || !std::isfinite(proof.margin) ||
      !(proof.reach >= least_reach))
    return std::nullopt;
  proof.conflict = heaviest_rows(problem, rows, proof.ray);
  return proof;
}

}  // namespace bridle
