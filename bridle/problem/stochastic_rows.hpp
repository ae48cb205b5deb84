// Rows known through random samples: E[A_zeta] x - E[b_zeta] in [l, u], only draws of (A_zeta, b_zeta) to be
// had.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bridle/core/sampling.hpp"
#include "bridle/core/types.hpp"

namespace bridle {

// A sparse draw of (A_zeta, b_zeta): the rows that are not zero, each times `weight`.
struct RowSample {
  struct Row {
    Index row;
    double weight;           // the sample of A's row is weight * coefficients
    double right;            // the sample of b's entry is weight * right
    std::size_t begin, end;  // coefficients in columns/values
  };
  std::vector<Row> rows;
  std::vector<Index> columns;
  std::vector<double> values;

  void clear() {
    rows.clear();
    columns.clear();
    values.clear();
  }
  // Coefficients are appended with `add` after the row was begun.
  void begin_row(Index row, double weight, double right) {
    rows.push_back({row, weight, right, values.size(), values.size()});
  }
  void add(Index column, double value) {
    columns.push_back(column);
    values.push_back(value);
    rows.back().end = values.size();
  }
};

template <class R>
concept StochasticRows = requires(const R& rows, Sample zeta, RowSample& out) {
  { rows.dimension() } -> std::convertible_to<Index>;
  { rows.count() } -> std::convertible_to<Index>;
  rows.draw(zeta, out);  // out <- (A_zeta, b_zeta); all randomness from zeta; out comes cleared
};

// E[A_zeta] and E[b_zeta].
struct MeanRows {
  SparseRows matrix;
  Vector right;
};

namespace optional_member {
template <class R>
concept Mean = requires(const R& rows) {
  { rows.mean() } -> std::convertible_to<MeanRows>;
};
// True when a draw only decides which rows of E[A] appear, with weight 1 / (probability of appearing). Then
// sum of weight * a_i (a_i'x - b_i) over one draw is an unbiased estimate of A'(A x - b), with far less
// variance than the product of two draws.
template <class R>
concept Inclusion = requires(const R& rows) {
  { rows.samples_inclusion() } -> std::convertible_to<bool>;
};
}  // namespace optional_member

class AnyStochasticRows {
 public:
  template <StochasticRows R>
  requires(!std::same_as<R, AnyStochasticRows>) AnyStochasticRows(R rows)
      : self_(std::make_shared<Model<R>>(std::move(rows))) {}

  Index dimension() const { return self_->dimension(); }
  Index count() const { return self_->count(); }
  void draw(Sample zeta, RowSample& out) const {
    out.clear();
    self_->draw(zeta, out);
  }
  std::optional<MeanRows> mean() const { return self_->mean(); }
  bool samples_inclusion() const { return self_->samples_inclusion(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Index dimension() const = 0;
    virtual Index count() const = 0;
    virtual void draw(Sample zeta, RowSample& out) const = 0;
    virtual std::optional<MeanRows> mean() const = 0;
    virtual bool samples_inclusion() const = 0;
  };
  template <class R>
  struct Model final : Interface {
    explicit Model(R r) : rows(std::move(r)) {}
    R rows;
    Index dimension() const override { return rows.dimension(); }
    Index count() const override { return rows.count(); }
    void draw(Sample zeta, RowSample& out) const override { rows.draw(zeta, out); }
    std::optional<MeanRows> mean() const override {
      if constexpr (optional_member::Mean<R>) return rows.mean();
      return std::nullopt;
    }
    bool samples_inclusion() const override {
      if constexpr (optional_member::Inclusion<R>) return rows.samples_inclusion();
      return false;
    }
  };
  std::shared_ptr<const Interface> self_;
};

// E[A] and E[b] from draws 0, ..., batch - 1 of a stream, for rows whose mean is not known. `spread`, if
// wanted, gets the standard deviation of (A_zeta x - b_zeta)_i over the draws.
MeanRows estimate_mean(const AnyStochasticRows& rows, Index batch, const Stream& stream,
                       const Vector* x = nullptr, Vector* spread = nullptr);

}  // namespace bridle
