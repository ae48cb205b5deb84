#include "bridle/problem/objectives/share.hpp"

#include "bridle/problem/objectives/linear_model.hpp"

namespace bridle {
namespace {

// Of an objective that is no linear model.
class Renumbered {
 public:
  Renumbered(AnyObjective whole, Index first, Index count)
      : whole_(std::move(whole)), first_(static_cast<Sample>(first)), count_(count) {}

  Index dimension() const { return whole_.dimension(); }
  Index sample_count() const { return count_; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    whole_.gradient(x, first_ + sample, out);
  }
  void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const {
    detail::Scratch<Sample> numbers(static_cast<Index>(samples.size()));
    for (std::size_t k = 0; k < samples.size(); ++k) numbers[static_cast<Index>(k)] = first_ + samples[k];
    whole_.batch_gradient(x, numbers.first(static_cast<Index>(samples.size())), out);
  }

 private:
  AnyObjective whole_;
  Sample first_;
  Index count_;
};

}  // namespace

AnyObjective share_of(const AnyObjective& whole, Index first, Index count) {
  if (whole.sample_count() == endless) return whole;
  if (const LinearModel* model = whole.as_linear_model()) return model->share(first, count);
  return Renumbered(whole, first, count);
}

}  // namespace bridle
