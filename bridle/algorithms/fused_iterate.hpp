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

class FusedIterate : public LinearIterate<FusedIterate> {
 public:
  FusedIterate(const StandardForm& form, Iterate start);

  // The samples that come soon and a little later: asks the memory for their rows.
  [[gnu::always_inline]] void expect(Sample, Sample later, Sample) const {
    const auto i = static_cast<Index>(later);
    prefetch(&model_.labels()[i], 1);
    const auto& storage = model_.features().storage();
    if (const auto* sparse = std::get_if<SparseRows>(&storage)) {
      const auto begin = sparse->outerIndexPtr()[i], end = sparse->outerIndexPtr()[i + 1];
      prefetch(sparse->innerIndexPtr() + begin, sparse->innerIndexPtr() + end);
      prefetch(sparse->valuePtr() + begin, sparse->valuePtr() + end);
    } else if (const auto* wide = std::get_if<DenseRows<double>>(&storage)) {
      prefetch(wide->data() + i * wide->cols(), wide->cols());
    } else if (const auto* narrow = std::get_if<DenseRows<float>>(&storage)) {
      prefetch(narrow->data() + i * narrow->cols(), narrow->cols());
    }
  }

  // y <- y + eta (A x - b)
  void dual_step(double eta) { dual_step_from(products_.head(form_.rows()), eta); }
  // x <- proj_X(x - tau (G + mu (x - z)));  z <- z + beta (x_old - z)
  void primal_and_smoothing_step(const Parameters& p);

 private:
  friend LinearIterate<FusedIterate>;
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
  double label_of(Index sample) const { return model_.labels()[sample]; }
  // G's part from the data, as a direction; cleared again after the pass.
  void gather();
  void clear();

  Blocks x_, z_, weight_squared_, ridge_, lower_, upper_, matrix_, direction_;
  bool bounded_;
  Vector products_, row_weights_;  // A x; w; filled up to fused_rows
};

}  // namespace bridle
