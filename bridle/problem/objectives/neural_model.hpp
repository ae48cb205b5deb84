// The loss of a small network over data: f(w) = mean_i V(score_i(w), label_i) + ridge/2 |w|^2, biases free.
#pragma once

#include <optional>
#include <span>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/neural_network.hpp"

namespace bridle {

class NeuralModel {
 public:
  static constexpr bool thread_safe = true;

  // Features, labels, loss and ridge are those of `data`, which holds all its samples itself and is not
  // copied: the ridge of a column holds for all units, and the largest of them for the layers above. Samples
  // may have weights (>= 0, not all 0). Throws InputError.
  NeuralModel(LinearModel data, std::vector<Index> hidden, Vector sample_weights = {});

  Index dimension() const { return network_.weights(); }
  Index sample_count() const { return data_.sample_count(); }
  void gradient(ConstVectorRef w, Sample sample, VectorRef out) const {
    batch_gradient(w, std::span(&sample, 1), out);
  }
  double value(ConstVectorRef w, Sample sample) const { return batch_value(w, std::span(&sample, 1)); }
  void batch_gradient(ConstVectorRef w, std::span<const Sample> samples, VectorRef out) const;
  double batch_value(ConstVectorRef w, std::span<const Sample> samples) const;
  double mean_value(ConstVectorRef w) const;
  void mean_gradient(ConstVectorRef w, VectorRef out) const { value_and_gradient(w, out); }
  double value_and_gradient(ConstVectorRef w, VectorRef out) const;
  void hessian_product(ConstVectorRef w, ConstVectorRef direction, VectorRef out) const;
  bool convex() const { return false; }
  // unit1.COLUMN, layer2.unit1.unit3, output.unit2, output.bias
  Names variable_names() const;

  const NeuralNetwork& network() const { return network_; }
  // Random weights with which units and scores are of size 1; 0 is a saddle.
  Vector start(std::uint64_t seed) const;

 private:
  // Rows of some samples, beside one another: a single one is taken where it lies.
  struct Batch {
    Batch(const LinearModel& data, std::span<const Sample> samples);
    std::vector<Index> rows;
    std::optional<Features> picked;
    Index first = 0;

    const Features& features(const LinearModel& data) const { return picked ? *picked : data.features(); }
    Index last() const { return first + static_cast<Index>(rows.size()); }
    Index row(Index i) const { return rows[static_cast<std::size_t>(i - first)]; }  // of the data
  };
  double share(Index i) const { return shares_.size() ? shares_[i] : 1.0; }
  double ridge_value(ConstVectorRef w) const { return ridge_.size() ? 0.5 * ridge_.dot(w.cwiseAbs2()) : 0.0; }

  LinearModel data_;
  NeuralNetwork network_;
  Vector ridge_;   // one per weight, or empty
  Vector shares_;  // weights of samples with mean 1, or empty
};

}  // namespace bridle
