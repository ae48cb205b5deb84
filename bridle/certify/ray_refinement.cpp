#include "bridle/certify/ray_refinement.hpp"

#include <Eigen/QR>

namespace bridle {
namespace {

constexpr Index largest_system = 250'000;  // entries
constexpr int corrections = 3;             // of the prices
constexpr double last_digits = 1e-8;       // of an entry of y

}  // namespace

bool cancel_prices(const SparseRows& rows, const std::vector<Index>& columns, WideVector& y) {
  std::vector<Index> support, place(static_cast<std::size_t>(rows.cols()), -1);
  for (Index i = 0; i < y.size(); ++i)
    if (y[i] != 0) support.push_back(i);
  const auto m = static_cast<Index>(columns.size()), n = static_cast<Index>(support.size());
  if (m == 0 || n == 0 || m * n > largest_system) return false;
  for (Index k = 0; k < m; ++k) place[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])] = k;
  // In shares of y, and of what every price is added up from: entries are at most 1.
  Matrix system = Matrix::Zero(m, n);
  Vector size = Vector::Zero(m);
  const auto for_each_share = [&](const auto& visit) {
    for (Index k = 0; k < n; ++k)
      for (SparseRows::InnerIterator it(rows, support[static_cast<std::size_t>(k)]); it; ++it)
        if (const Index row = place[static_cast<std::size_t>(it.col())]; row >= 0)
          visit(row, k, it.value() * y[support[static_cast<std::size_t>(k)]]);
  };
  for_each_share(
      [&](Index row, Index, long double share) { size[row] += static_cast<double>(std::abs(share)); });
  if (!(size.array() > 0).all() || !size.allFinite()) return false;
  for_each_share([&](Index row, Index k, long double share) {
    system(row, k) += static_cast<double>(share / size[row]);
  });
  const Eigen::CompleteOrthogonalDecomposition<Matrix> factors(system);
  const WideVector before = y;
  for (int round = 0; round < corrections; ++round) {
    WideVector left = WideVector::Zero(m);
    for_each_share([&](Index row, Index, long double share) { left[row] -= share / size[row]; });
    const Vector change = factors.solve(left.cast<double>());
    for (Index k = 0; k < n; ++k)
      y[support[static_cast<std::size_t>(k)]] *= 1 + static_cast<long double>(change[k]);
  }
  const bool little =
      y.allFinite() && ((y - before).array().abs() <= last_digits * before.array().abs()).all();
  if (!little) y = before;
  return little;
}

}  // namespace bridle
