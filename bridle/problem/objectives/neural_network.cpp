#include "bridle/problem/objectives/neural_network.hpp"

#include "bridle/core/error.hpp"

namespace bridle {
namespace {

using Block = DenseRows<double>;
using Weights = Eigen::Map<const Block>;
using Sums = Eigen::Map<Block>;

constexpr Index rows_in_a_block = 128;  // what a block's units take stays in the cache

Weights weights_of(const NeuralNetwork::Layer& layer, const double* w) {
  return {w + layer.first, layer.inputs, layer.units};
}
Sums sums_of(const NeuralNetwork::Layer& layer, double* out) {
  return {out + layer.first, layer.inputs, layer.units};
}

// Features of rows first, ... times W.
Block times_features(const Features& features, Index first, Index count, const Weights& w) {
  return std::visit(
      [&](const auto& m) -> Block {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(m)>, SparseView>) {
          Block out = Block::Zero(count, w.cols());
          for (Index i = 0; i < count; ++i)
            m.for_each(first + i, [&](Index j, double a) { out.row(i) += a * w.row(j); });
          return out;
        } else {
          return m.matrix().middleRows(first, count).template cast<double>() * w;
        }
      },
      features.storage());
}

// sums += (features of rows first, ...)' D
void add_features_times(const Features& features, Index first, const Block& d, Sums sums) {
  std::visit(
      [&](const auto& m) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(m)>, SparseView>) {
          for (Index i = 0; i < d.rows(); ++i)
            m.for_each(first + i, [&](Index j, double a) { sums.row(j) += a * d.row(i); });
        } else {
          sums.noalias() += m.matrix().middleRows(first, d.rows()).template cast<double>().transpose() * d;
        }
      },
      features.storage());
}

// tanh, to the rounding of 1; the exponential is the one that Eigen computes several at a time.
Block tanh_of(const Block& a) { return (1 - 2 / ((2 * a.array()).exp() + 1)).matrix(); }

Block with_ones(const Block& units) {
  Block out(units.rows(), units.cols() + 1);
  out.leftCols(units.cols()) = units;
  out.rightCols(1).setOnes();
  return out;
}
// The same for what a bias does not take part in.
Block with_zeros(const Block& units) {
  Block out(units.rows(), units.cols() + 1);
  out.leftCols(units.cols()) = units;
  out.rightCols(1).setZero();
  return out;
}

}  // namespace

NeuralNetwork::NeuralNetwork(Index inputs, std::vector<Index> hidden) : hidden_(std::move(hidden)) {
  if (inputs < 1 || hidden_.empty()) throw InputError("a network needs inputs and a hidden layer");
  Layer layer{0, inputs, 0, false};
  for (const Index units : hidden_) {
    if (units < 1) throw InputError("a hidden layer needs at least one unit");
    layer.units = units;
    layers_.push_back(layer);
    layer = {layer.first + layer.weights(), units + 1, 1, true};
  }
  layers_.push_back(layer);
}

std::vector<NeuralNetwork::Block> NeuralNetwork::forward(const Features& features, Index first, Index count,
                                                         const double* w) const {
  std::vector<Block> units;
  units.push_back(with_ones(tanh_of(times_features(features, first, count, weights_of(layers_[0], w)))));
  for (std::size_t k = 1; k + 1 < layers_.size(); ++k)
    units.push_back(with_ones(tanh_of(units.back() * weights_of(layers_[k], w))));
  return units;
}

void NeuralNetwork::backward(const Features& features, Index first, const std::vector<Block>& units,
                             const double* w, const Vector& factors, double* out) const {
  Block slopes = factors;  // of the sum by what the layer above adds up, row by row
  for (std::size_t k = layers_.size() - 1; k > 0; --k) {
    const Layer& layer = layers_[k];
    const Block& below = units[k - 1];
    sums_of(layer, out).noalias() += below.transpose() * slopes;
    const auto values = below.leftCols(layer.inputs - 1);
    const Block passed = slopes * weights_of(layer, w).topRows(layer.inputs - 1).transpose();
    slopes = (passed.array() * (1 - values.array().square())).matrix();
  }
  add_features_times(features, first, slopes, sums_of(layers_[0], out));
}

void NeuralNetwork::for_each_block(const Features& features, Index first, Index last, ConstVectorRef w,
                                   const Work& work, double* out) const {
  for (Index i = first; i < last; i += rows_in_a_block) {
    const Index count = std::min(rows_in_a_block, last - i);
    const std::vector<Block> units = forward(features, i, count, w.data());
    Vector scores = units.back() * weights_of(layers_.back(), w.data());
    work(i, count, scores.data());
    if (out && !scores.isZero(0)) backward(features, i, units, w.data(), scores, out);
  }
}

void NeuralNetwork::add_hessian_product(const Features& features, Index first, Index last, ConstVectorRef w,
                                        ConstVectorRef direction, const CurvatureWork& work,
                                        double* out) const {
  const std::size_t top = layers_.size() - 1;
  const auto weights = [&](std::size_t k) { return weights_of(layers_[k], w.data()); };
  const auto ways = [&](std::size_t k) { return weights_of(layers_[k], direction.data()); };
  for (Index i = first; i < last; i += rows_in_a_block) {
    const Index count = std::min(rows_in_a_block, last - i);
    const std::vector<Block> units = forward(features, i, count, w.data());
    // Derivatives along the direction: of what units add up, and of what they put out.
    std::vector<Block> sums_moved, moved;
    for (std::size_t k = 0; k < top; ++k) {
      sums_moved.push_back(k == 0 ? times_features(features, i, count, ways(0))
                                  : Block(units[k - 1] * ways(k) + moved[k - 1] * weights(k)));
      const auto values = units[k].leftCols(layers_[k].units).array();
      moved.push_back(with_zeros((sums_moved[k].array() * (1 - values.square())).matrix()));
    }
    Vector scores = units.back() * weights(top), bends(count);
    const Vector scores_moved = units.back() * ways(top) + moved.back() * weights(top);
    work(i, count, scores.data(), bends.data());
    Block slopes = scores, slopes_moved = bends.cwiseProduct(scores_moved);
    for (std::size_t k = top; k > 0; --k) {
      const Layer& layer = layers_[k];
      const Index below = layer.inputs - 1;
      sums_of(layer, out).noalias() +=
          units[k - 1].transpose() * slopes_moved + moved[k - 1].transpose() * slopes;
      const Block passed = slopes * weights(k).topRows(below).transpose();
      const Block passed_moved =
          slopes_moved * weights(k).topRows(below).transpose() + slopes * ways(k).topRows(below).transpose();
      const auto values = units[k - 1].leftCols(below).array();
      const Block slope = (1 - values.square()).matrix();
      slopes_moved = (passed_moved.array() * slope.array() -
                      2 * passed.array() * values * slope.array() * sums_moved[k - 1].array())
                         .matrix();
      slopes = (passed.array() * slope.array()).matrix();
    }
    add_features_times(features, i, slopes_moved, sums_of(layers_[0], out));
  }
}

}  // namespace bridle
