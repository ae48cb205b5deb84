// The iterate of Algorithm 1 for linear models with few rows and X a box: one product with the sample and one
// pass over x and z in a step, which also leaves A x for the next one.
//
// x and z are kept in the user's units (C x), so that a_i'x needs no scales.
#pragma once

#include <type_traits>

#include "bridle/algorithms/fused_pass.hpp"
#include "bridle/algorithms/linear_iterate.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle {

class FusedIterate : public LinearIterate {
 public:
  FusedIterate(const StandardForm& form, Iterate start);

  const Iterate& state() const;

  // The samples that come soon and a little later: asks the memory for their rows.
  [[gnu::always_inline]] void expect(Sample, Sample later) const {
    const auto i = static_cast<Index>(later);
    prefetch(&model_.labels()[i], 1);
    std::visit(
        [i](const auto& data) __attribute__((always_inline)) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(data)>, SparseRows>) {
            const auto begin = data.outerIndexPtr()[i], end = data.outerIndexPtr()[i + 1];
            prefetch(data.innerIndexPtr() + begin, data.innerIndexPtr() + end);
            prefetch(data.valuePtr() + begin, data.valuePtr() + end);
          } else {
            prefetch(data.data() + i * data.cols(), data.cols());
          }
        },
        model_.features().storage());
  }

  // y <- y + eta (A x - b)
  void dual_step(double eta) { dual_step_from(products_.head(form_.rows()), eta); }
  // The slopes of the losses at x, of a batch of samples
  template <class Draw>
  void sample_gradient(Index batch, Draw&& draw) {
    terms_.clear();
    for (Index k = 0; k < batch; ++k) {
      const auto sample = static_cast<Index>(draw());
      terms_.push_back(term_of(sample, product_with(sample), batch));
    }
  }
  // x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_and_smoothing_step(const Parameters& p);

 private:
  struct alignas(cache_line) Block {
    double at[lanes] = {};
  };
  // Numbers in whole blocks, zeros at the end.
  class Blocks {
   public:
    explicit Blocks(Index size) : blocks_(static_cast<std::size_t>((size + lanes - 1) / lanes)) {}
    double* data() { return blocks_.empty() ? nullptr : blocks_.front().at; }
    double& operator[](Index j) { return data()[j]; }

   private:
    std::vector<Block> blocks_;
  };

  void read_in();
  void write_out();
  double product_with(Index sample);  // a_i'x
  // G's part from the data, as a direction; cleared again after the pass.
  void gather();
  void clear();

  Blocks x_, z_, weight_squared_, ridge_, lower_, upper_, matrix_, direction_;
  bool bounded_;
  Vector products_, row_weights_;  // A x; w; filled up to fused_rows
  bool written_ = true;            // x and z are up to date in the state
};

}  // namespace bridle
