#include "bridle/problem/stochastic_rows.hpp"

#include <cmath>
#include <map>

namespace bridle {

MeanRows estimate_mean(const AnyStochasticRows& rows, Index batch, const Stream& stream, const Vector* x,
                       Vector* spread) {
  std::vector<std::map<Index, double>> sums(static_cast<std::size_t>(rows.count()));
  MeanRows out{SparseRows(rows.count(), rows.dimension()), Vector::Zero(rows.count())};
  Vector first = Vector::Zero(rows.count()), second = Vector::Zero(rows.count());
  const double share = 1 / static_cast<double>(batch);
  RowSample sample;
  for (Index k = 0; k < batch; ++k) {
    rows.draw(stream.bits(static_cast<std::uint64_t>(k)).first, sample);
    for (const auto& row : sample.rows) {
      double activity = -row.right;
      for (std::size_t e = row.begin; e < row.end; ++e) {
        sums[static_cast<std::size_t>(row.row)][sample.columns[e]] += share * row.weight * sample.values[e];
        if (x) activity += sample.values[e] * (*x)[sample.columns[e]];
      }
      out.right[row.row] += share * row.weight * row.right;
      first[row.row] += share * row.weight * activity;
      second[row.row] += share * row.weight * row.weight * activity * activity;
    }
  }
  for (Index i = 0; i < rows.count(); ++i) {
    out.matrix.startVec(i);
    for (const auto& [column, value] : sums[static_cast<std::size_t>(i)])
      out.matrix.insertBack(i, column) = value;
  }
  out.matrix.finalize();
  if (spread) *spread = (second - first.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
  return out;
}

}  // namespace bridle
