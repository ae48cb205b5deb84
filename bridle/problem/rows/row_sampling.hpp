// Row sampling of a large A: a draw touches `per_draw` rows, chosen uniformly or by their squared length,
// weighted so that the mean is A itself.
#pragma once

#include <algorithm>
#include <memory>

#include "bridle/core/error.hpp"
#include "bridle/problem/stochastic_rows.hpp"

namespace bridle {

enum class RowWeights { uniform, squared_norm };

class RowSampling {
 public:
  RowSampling(SparseRows matrix, Vector right, Index per_draw = 1, RowWeights weights = RowWeights::uniform)
      : data_(std::make_shared<Data>()), per_draw_(per_draw) {
    if (matrix.rows() == 0) throw InputError("row sampling: there are no rows");
    if (per_draw < 1) throw InputError("row sampling: at least one row must be drawn");
    data_->matrix = std::move(matrix);
    data_->right = std::move(right);
    if (weights == RowWeights::uniform) return;
    data_->cumulative.resize(static_cast<std::size_t>(count()));
    double sum = 0;
    for (Index i = 0; i < count(); ++i) {
      for (SparseRows::InnerIterator it(data_->matrix, i); it; ++it) sum += it.value() * it.value();
      data_->cumulative[static_cast<std::size_t>(i)] = sum;
    }
  }

  Index dimension() const { return data_->matrix.cols(); }
  Index count() const { return data_->matrix.rows(); }
  bool samples_inclusion() const { return true; }
  MeanRows mean() const { return {data_->matrix, data_->right}; }

  void draw(Sample zeta, RowSample& out) const {
    const Stream stream(zeta, Purpose::constraint);
    for (Index k = 0; k < per_draw_; ++k) {
      double probability = 0;
      const Index i = choose(stream, static_cast<std::uint64_t>(k), probability);
      out.begin_row(i, 1 / (probability * static_cast<double>(per_draw_)), data_->right[i]);
      for (SparseRows::InnerIterator it(data_->matrix, i); it; ++it) out.add(it.col(), it.value());
    }
  }

 private:
  struct Data {
    SparseRows matrix;
    Vector right;
    std::vector<double> cumulative;  // of squared lengths; empty: uniform
  };

  Index choose(const Stream& stream, std::uint64_t k, double& probability) const {
    const auto& cumulative = data_->cumulative;
    if (cumulative.empty()) {
      probability = 1 / static_cast<double>(count());
      return static_cast<Index>(stream.below(static_cast<std::uint64_t>(count()), k));
    }
    const double target = stream.uniform(k) * cumulative.back();
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), target);
    const auto i =
        static_cast<std::size_t>(std::min<std::ptrdiff_t>(found - cumulative.begin(), count() - 1));
    probability = (cumulative[i] - (i ? cumulative[i - 1] : 0)) / cumulative.back();
    return static_cast<Index>(i);
  }

  std::shared_ptr<Data> data_;
  Index per_draw_;
};

}  // namespace bridle
