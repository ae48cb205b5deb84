// The iterate of Algorithm 1 for linear models with few rows and X a box: one pass over x and z in a step,
// which also leaves A x and, when samples are dense and come one by one, a_i'x of the next sample.
//
// x and z are kept in the user's units (C x), so that a_i'x needs no scales.
#pragma once

#include <algorithm>
#include <variant>

#include "bridle/algorithms/representations/fused_pass.hpp"
#include "bridle/algorithms/representations/linear_iterate.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle {

// Dense rows that can be read up to whole lanes: into the next row, or, where there is too little behind
// them, in a copy that ends with zeros.
template <class Scalar>
class ReadableRows {
 public:
  ReadableRows() = default;
  explicit ReadableRows(const DenseView<Scalar>& data)
      : data_(data.data()),
        columns_(data.cols()),
        stride_(blocks_for(columns_) * lanes),
        copied_(data.rows()) {
    while (copied_ > 0 && columns_ * (data.rows() - copied_ + 1) < stride_) --copied_;
    copies_.resize(static_cast<std::size_t>((data.rows() - copied_) * stride_));
    for (Index i = copied_; i < data.rows(); ++i)
      std::copy_n(data_ + i * columns_, columns_, copies_.begin() + (i - copied_) * stride_);
  }
  const Scalar* operator[](Index i) const {
    return i < copied_ ? data_ + i * columns_ : copies_.data() + (i - copied_) * stride_;
  }

 private:
  const Scalar* data_ = nullptr;
  Index columns_ = 0, stride_ = 0;
  Index copied_ = 0;  // rows from here on are copies
  std::vector<Scalar> copies_;
};

class FusedIterate : public LinearIterate<FusedIterate> {
 public:
  FusedIterate(const StandardForm& form, const Iterate& start);

  void primal_and_smoothing_step(const Parameters& p);

 private:
  friend LinearIterate<FusedIterate>;
  // Asks the memory for the row of a sample that comes soon, and remembers the next one.
  template <class Draw>
  [[gnu::always_inline]] void expect(const Draw& draw) {
    next_ = static_cast<Index>(draw.upcoming(1));
    const auto i = static_cast<Index>(draw.upcoming(8));
    prefetch(&model_.labels()[i], 1);
    model_.features().expect(i);
  }
  void read_variables(const Iterate& state);
  void write_variables(Iterate& out) const;
  void settle_variables(Iterate& out);
  double product_with(Index sample);  // a_i'x
  double label_of(Index sample) const { return model_.labels()[sample]; }
  // G's part from the data, as a direction; cleared again after the pass.
  void gather();
  void clear();

  LaneVector x_, z_, weight_squared_, ridge_, lower_, upper_, matrix_, direction_;
  bool bounded_;
  std::variant<std::monostate, ReadableRows<double>, ReadableRows<float>> dense_;  // nothing: sparse data
  Index next_ = -1;   // the sample of the next draw
  Index known_ = -1;  // the sample whose product the last pass has left
  double known_product_ = 0;
};

}  // namespace bridle
