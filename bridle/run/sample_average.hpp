// A stream known through samples only, as its mean over a fixed batch: what second-order steps can work on.
#pragma once

#include <memory>
#include <vector>

#include "bridle/oracle/draws.hpp"
#include "bridle/problem/objective.hpp"

namespace bridle {

class SampleAverage {
 public:
  // `spent` counts sample gradients.
  SampleAverage(AnyObjective stream, Index batch, std::uint64_t seed, std::shared_ptr<double> spent)
      : stream_(std::move(stream)),
        batch_(drawn_batch(stream_, Stream(seed, Purpose::first_batch), batch)),
        spent_(std::move(spent)) {}

  Index dimension() const { return stream_.dimension(); }
  Index sample_count() const { return 1; }
  void gradient(ConstVectorRef x, Sample, VectorRef out) const { mean_gradient(x, out); }
  void mean_gradient(ConstVectorRef x, VectorRef out) const { gradient_over(x, batch_.size(), out); }
  double mean_value(ConstVectorRef x) const {
    *spent_ += static_cast<double>(batch_.size());
    return stream_.batch_value(x, batch_).value_or(std::nan(""));
  }
  // Differences of gradients over a part of the batch, the same samples on both sides.
  void hessian(ConstVectorRef x, Matrix& out) const {
    constexpr std::size_t most = 64;
    constexpr double step_share = 1e-5;
    const std::size_t part = std::min(most, batch_.size());
    Vector there = x, after(x.size()), before(x.size());
    for (Index j = 0; j < x.size(); ++j) {
      const double step = step_share * std::max(1.0, std::abs(x[j]));
      there[j] = x[j] + step;
      gradient_over(there, part, after);
      there[j] = x[j] - step;
      gradient_over(there, part, before);
      out.col(j) = (after - before) / (2 * step);
      there[j] = x[j];
    }
    out = 0.5 * (out + out.transpose().eval());
  }

 private:
  void gradient_over(ConstVectorRef x, std::size_t part, VectorRef out) const {
    *spent_ += static_cast<double>(part);
    stream_.batch_gradient(x, std::span(batch_).first(part), out);
  }

  AnyObjective stream_;
  std::vector<Sample> batch_;
  std::shared_ptr<double> spent_;
};

}  // namespace bridle
