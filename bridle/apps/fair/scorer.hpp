// What turns weights and a person's features into a score; positive scores are positive decisions.
#pragma once

#include <memory>

#include "bridle/problem/objectives/neural_network.hpp"

namespace bridle {

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual Index weights() const = 0;
  virtual Index people() const = 0;
  virtual Vector scores(const Vector& w) const = 0;
  // out <- the sum of factors[i] times the gradient of score i with respect to w. Factors are often 0.
  virtual void pull_back(const Vector& w, const Vector& factors, Vector& out) const = 0;
  // The second derivatives of the sum over i of f_i(score i), where factors[i] is f_i' and bends[i] is f_i''.
  virtual void second_derivatives(const Vector& w, const Vector& factors, const Vector& bends,
                                  Matrix& out) const = 0;
  // The weights from this one on: in them scores are linear, the others being fixed.
  virtual Index first_linear_weight() const = 0;
};

// score = features'w
class LinearScorer final : public Scorer {
 public:
  explicit LinearScorer(const Features& features) : features_(features) {}
  Index weights() const override { return features_.columns(); }
  Index people() const override { return features_.rows(); }
  Vector scores(const Vector& w) const override;
  void pull_back(const Vector& w, const Vector& factors, Vector& out) const override;
  void second_derivatives(const Vector& w, const Vector& factors, const Vector& bends,
                          Matrix& out) const override;
  Index first_linear_weight() const override { return 0; }

 private:
  const Features& features_;
};

// The score of a small network.
class NetworkScorer final : public Scorer {
 public:
  NetworkScorer(const Features& features, NeuralNetwork network)
      : features_(features), network_(std::move(network)) {}
  Index weights() const override { return network_.weights(); }
  Index people() const override { return features_.rows(); }
  Vector scores(const Vector& w) const override;
  void pull_back(const Vector& w, const Vector& factors, Vector& out) const override;
  void second_derivatives(const Vector& w, const Vector& factors, const Vector& bends,
                          Matrix& out) const override;
  Index first_linear_weight() const override { return network_.first_output_weight(); }

 private:
  const Features& features_;
  NeuralNetwork network_;
};

// Units of the hidden layers of a network; none: a linear model.
using Hidden = std::vector<Index>;

// The features must outlive it.
std::unique_ptr<const Scorer> make_scorer(const Features& features, const Hidden& hidden);

}  // namespace bridle
