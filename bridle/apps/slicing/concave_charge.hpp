// The paper's objective of the relaxation: the cost plus sigma P(x), where P(x) sums (x_j + eps)^p over the
// functions' hosts, weighted by the rates; P is least, on sum_j x_j = 1, where one host has it all.
#pragma once

#include <cmath>

#include "bridle/apps/slicing/formulation.hpp"

namespace bridle {

class ConcaveCharge {
 public:
  static constexpr double power = 0.5, shift = 0.1;  // p and eps

  ConcaveCharge(const Formulation& formulation, double sigma)
      : cost_(formulation.costs()), weight_(formulation.variables() - formulation.first_host_variable()) {
    scale_ = cost_.maxCoeff();
    cost_ /= scale_;
    for (const auto& choice : formulation.choices())
      weight_
          .segment(choice.first - formulation.first_host_variable(), static_cast<Index>(choice.hosts.size()))
          .setConstant(sigma * formulation.instance().flows[choice.flow].rate / scale_);
  }

  double scale() const { return scale_; }  // the cost is this times the objective without charge
  Index dimension() const { return cost_.size(); }
  Index sample_count() const { return 1; }
  double value(ConstVectorRef x, Sample) const {
    const auto hosts = x.tail(weight_.size()).array();
    const double most = std::pow(1 + shift, power);  // what a host that has it all is charged, and no other
    return cost_.dot(x) + (weight_.array() * ((hosts + shift).sqrt() - most * hosts)).sum();
  }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const {
    out = cost_;
    const double most = std::pow(1 + shift, power);
    out.tail(weight_.size()).array() +=
        weight_.array() * (0.5 * (x.tail(weight_.size()).array() + shift).rsqrt() - most);
  }
  std::optional<double> smoothness() const {
    return weight_.size() == 0 ? 0 : 0.25 * weight_.maxCoeff() * std::pow(shift, power - 2);
  }

 private:
  Vector cost_, weight_;
  double scale_;
};

}  // namespace bridle
