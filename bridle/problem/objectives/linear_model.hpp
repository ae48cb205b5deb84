// f(x) = (1/N) sum_i V(a_i'x, label_i) + (1/2) sum_j ridge_j x_j^2 over dense or sparse data.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "bridle/core/processes.hpp"
#include "bridle/problem/losses/losses.hpp"
#include "bridle/problem/objective.hpp"
#include "bridle/problem/objectives/features.hpp"

namespace bridle {

struct LabelledRows;
class RowPasses;

// Figures about the columns of the data that scaling and step sizes are built on.
struct ColumnStatistics {
  Vector frequency;       // p_j: fraction of rows in which the column is nonzero
  Vector magnitude;       // v_j: root mean square over the nonzeros (0 for an empty column)
  Vector mean;            // over all rows
  Vector least, largest;  // of the nonzeros
  double rows = 0;        // that they are of
};

class LinearModel {
 public:
  static constexpr bool thread_safe = true;

  // `ridge` has one weight per column (so that an intercept can go free), or is empty for none.
  LinearModel(Features features, Vector labels, Loss loss, Vector ridge = {}, Names names = {});

  Index dimension() const { return data_->features.columns(); }
  Index sample_count() const { return processes_ || shares_ ? total_ : rows_here(); }

  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    batch_gradient(x, std::span(&sample, 1), out);
  }
  double value(ConstVectorRef x, Sample sample) const { return batch_value(x, std::span(&sample, 1)); }
  void batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const;
  double batch_value(ConstVectorRef x, std::span<const Sample> samples) const;
  void mean_gradient(ConstVectorRef x, VectorRef out) const;
  double mean_value(ConstVectorRef x) const;
  // For second-order steps, with all of linear_sums.hpp behind them.
  double value_and_gradient(ConstVectorRef x, VectorRef out) const;
  void hessian_product(ConstVectorRef x, ConstVectorRef direction, VectorRef out) const;
  void hessian(ConstVectorRef x, Matrix& out) const;
  // h mean|a_i|^2 + max ridge: the trace bounds the largest eigenvalue of the mean of a_i a_i'.
  std::optional<double> smoothness() const;
  // h mean a_ij^2 + ridge_j.
  Vector curvature_diagonal() const;
  bool convex() const { return is_convex(loss_); }

  const Features& features() const { return data_->features; }  // the rows held here
  // Entries that are stored, of all rows wherever they are.
  double entries() const { return shares_ ? entries_of_all_ : features().entries(); }
  const Vector& labels() const { return data_->labels; }
  const Loss& loss() const { return loss_; }
  const Vector& ridge() const { return ridge_; }
  Names variable_names() const { return data_->names; }

  double mean_loss(ConstVectorRef x) const;  // the first term of f alone
  // The smallest mean loss that the same output for every sample can have: what a model must beat.
  double constant_loss() const;
  const ColumnStatistics& column_statistics() const;
  double mean_squared_norm(ConstVectorRef column_scale) const;  // mean of |C a_i|^2
  // Mean of (h |a_i|^2 + ridge)^2, h the largest curvature of the loss: how much gradients of samples change.
  double mean_squared_smoothness() const;
  // out <- sum over these samples of a_i (a_i'x)
  void outer_products(std::span<const Index> samples, ConstVectorRef x, VectorRef out) const;

  // The same data with another loss, for starts and comparisons; shares the data.
  LinearModel with_loss(Loss loss) const;
  // The same model over other rows of as many samples.
  LinearModel with_features(Features features) const;
  // The same model over other samples.
  LinearModel with_rows(LabelledRows rows) const;
  // The model over some of its rows.
  LinearModel part(const std::vector<Index>& rows) const;
  // The model over `count` of its samples from number `first` on, which this process holds; shares the data.
  LinearModel share(Index first, Index count) const;
  // One model whose rows are spread over processes: `total` of them, of which these are numbers first,
  // first + 1, ... Gradients, values, means and figures are then those of all rows, and asking for any of
  // them is a collective: all processes ask for the same in the same order.
  LinearModel spread(Index first, Index total, std::shared_ptr<const Processes> processes) const;
  // One model of `total` samples whose rows lie with the workers that have them as their shares: these rows
  // are the shares of this process. Answers are those of all rows and collectives, as above, and sums are
  // taken share by share, with the same bits on any number of processes.
  LinearModel in_shares(Shares shares, Index total) const;
  const std::optional<Shares>& shares() const { return shares_; }
  bool spread_over_processes() const { return processes_ || shares_; }
  // Whether loops have batches whose samples lie on several processes, and not samples of their own share.
  bool batches_are_spread() const { return processes_ != nullptr; }
  // The same model, all of which each of these processes has: passes over all rows are shared by them, with
  // the bits of one process, and asking for one is a collective.
  LinearModel with_passes_over(std::shared_ptr<const Processes> processes) const;
  bool passes_worth_processes() const;

 private:
  friend class LinearSums;
  struct Data {
    Features features;
    Vector labels;
    Names names;
  };
  // Counted when they are first asked for, which takes a pass over the data; copies share them.
  struct CountedColumns {
    std::once_flag once;
    ColumnStatistics figures;
  };
  ColumnStatistics count_columns() const;
  Index rows_here() const { return data_->features.rows(); }
  bool is_here(Index row) const { return row >= 0 && row < rows_here(); }
  void sum_over_processes(VectorRef figures) const {
    if (processes_) processes_->sum(figures);
  }
  RowPasses passes() const;
  // Over these of the rows here, in their order.
  RowPasses passes_over(const std::vector<Index>& chosen) const;
  std::vector<Index> starts_of_shares() const;  // rows here
  // The sum of what visit(row here, part) adds to copies of `zero` for these samples, where rows are in
  // shares.
  template <class Samples, class Result, class Visit>
  Result sum_in_shares(const Samples& samples, const Result& zero, const Visit& visit) const;
  // Figures about a sample, from the process that has it, where rows are in shares.
  void tell_of(Sample sample, std::span<double> figures) const;
  double ridge_value(ConstVectorRef x) const { return ridge_.size() ? 0.5 * ridge_.dot(x.cwiseAbs2()) : 0.0; }

  std::shared_ptr<const Data> data_;
  std::shared_ptr<CountedColumns> columns_ = std::make_shared<CountedColumns>();
  Loss loss_;
  Vector ridge_;
  Index first_ = 0, total_ = 0;                   // where rows are spread
  std::shared_ptr<const Processes> processes_;    // null: all rows are here
  std::shared_ptr<const Processes> passes_over_;  // null: this process passes over its rows alone
  std::optional<Shares> shares_;                  // none: rows are in no shares
  double entries_of_all_ = 0;                     // where they are
};

}  // namespace bridle
