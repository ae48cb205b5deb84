// A smooth constraint that is a mean over samples: c(x) = (1/N) sum_i c_i(x).
#pragma once

#include <vector>

#include "bridle/core/sampling.hpp"
#include "bridle/core/tree_sum.hpp"
#include "bridle/problem/smooth_rows.hpp"

namespace bridle {

// A term adds what one sample has to say.
template <class T>
concept ConstraintTerm = requires(const T& t, ConstVectorRef x, Sample sample, VectorRef value,
                                  Matrix* slope) {
  { t.dimension() } -> std::convertible_to<Index>;
  { t.count() } -> std::convertible_to<Index>;
  { t.sample_count() } -> std::convertible_to<Index>;
  t.add(x, sample, value, slope);  // value += c_i(x); *slope += its Jacobian, unless slope is null
};

template <ConstraintTerm T>
class MeanConstraint {
 public:
  // Over all samples.
  explicit MeanConstraint(T term) : term_(std::move(term)) {}
  // Over a fixed batch of them: the constraint is then the batch's.
  MeanConstraint(T term, std::vector<Sample> batch) : term_(std::move(term)), batch_(std::move(batch)) {}

  Index dimension() const { return term_.dimension(); }
  Index count() const { return term_.count(); }
  void value(ConstVectorRef x, VectorRef out) const { out = sum(x, false).value / terms(); }
  void value_and_jacobian(ConstVectorRef x, VectorRef value, Matrix& jacobian) const {
    const Sums all = sum(x, true);
    value = all.value / terms();
    jacobian = all.slope / terms();
  }
  void jacobian(ConstVectorRef x, Matrix& out) const { out = sum(x, true).slope / terms(); }

 private:
  // A term that may be asked from several threads at once says so, as objectives do.
  static constexpr bool thread_safe = requires { requires T::thread_safe; };

  struct Sums {
    Vector value;
    Matrix slope;
    Sums& operator+=(const Sums& other) {
      value += other.value;
      slope += other.slope;
      return *this;
    }
  };
  Index size() const { return batch_.empty() ? term_.sample_count() : static_cast<Index>(batch_.size()); }
  double terms() const { return static_cast<double>(size()); }
  Sums sum(ConstVectorRef x, bool with_slope) const {
    const Sums zero{Vector::Zero(count()),
                    with_slope ? Matrix(Matrix::Zero(count(), dimension())) : Matrix()};
    const auto threads = thread_safe ? threads_in_use() : 1U;
    return sum_over_chunks(size(), threads, zero, [&](Index first, Index last, Sums& part) {
      for (Index k = first; k < last; ++k)
        term_.add(x, batch_.empty() ? static_cast<Sample>(k) : batch_[static_cast<std::size_t>(k)],
                  part.value, with_slope ? &part.slope : nullptr);
    });
  }

  T term_;
  std::vector<Sample> batch_;
};

}  // namespace bridle
