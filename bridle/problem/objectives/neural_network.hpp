// A small network of layers with tanh units and one output, the score of a row of features; whole blocks of
// rows at a time, by matrix products.
#pragma once

#include <functional>
#include <vector>

#include "bridle/problem/objectives/features.hpp"

namespace bridle {

// score = v'[h_L, 1], h_k = tanh(W_k'[h_(k-1), 1]), h_1 = tanh(W_1'a). The first layer has no bias of its
// own: features have a column of ones where one is wanted. All weights are in one vector, layer after layer;
// in a layer the weights of an input to all units stand together, the bias last.
class NeuralNetwork {
 public:
  // `hidden` has the number of units of each layer, at least one layer of at least one unit. Throws
  // InputError.
  NeuralNetwork(Index inputs, std::vector<Index> hidden);

  struct Layer {
    Index first = 0;  // weight
    Index inputs = 0, units = 0;
    bool bias = true;  // the last input is 1

    Index weights() const { return inputs * units; }
  };
  const std::vector<Layer>& layers() const { return layers_; }  // the last one has the output alone
  const std::vector<Index>& hidden() const { return hidden_; }
  Index weights() const { return layers_.back().first + layers_.back().weights(); }
  // From here on scores are linear in the weights, the others being fixed.
  Index first_output_weight() const { return layers_.back().first; }

  // For rows first, ..., last - 1 in blocks: work(i, count, scores) sees the scores of rows i, ..., may
  // change them, and out += sum_k scores[k] (gradient of score i + k) follows unless `out` is null.
  using Work = std::function<void(Index i, Index count, double* scores)>;
  void for_each_block(const Features& features, Index first, Index last, ConstVectorRef w, const Work& work,
                      double* out = nullptr) const;
  // out += H direction with H the second derivatives of sum_i f_i(score i) over these rows: work(i, count,
  // scores, bends) turns scores into f_i', and fills in f_i''. Pearlmutter's way: derivatives of the
  // gradient's own computation.
  using CurvatureWork = std::function<void(Index i, Index count, double* scores, double* bends)>;
  void add_hessian_product(const Features& features, Index first, Index last, ConstVectorRef w,
                           ConstVectorRef direction, const CurvatureWork& work, double* out) const;

 private:
  using Block = DenseRows<double>;
  // What each hidden layer puts out, with a last column of ones.
  std::vector<Block> forward(const Features& features, Index first, Index count, const double* w) const;
  void backward(const Features& features, Index first, const std::vector<Block>& units, const double* w,
                const Vector& factors, double* out) const;

  std::vector<Index> hidden_;
  std::vector<Layer> layers_;
};

}  // namespace bridle
