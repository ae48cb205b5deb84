#include "bridle/problem/objectives/linear_model.hpp"

#include <algorithm>
#include <string>

#include "bridle/core/error.hpp"
#include "bridle/problem/losses/loss_block.hpp"
#include "bridle/problem/objectives/row_exchange.hpp"
#include "bridle/problem/objectives/row_passes.hpp"

namespace bridle {

LinearModel::LinearModel(Features features, Vector labels, Loss loss, Vector ridge, Names names)
    : data_(std::make_shared<Data>(Data{std::move(features), std::move(labels), std::move(names)})),
      loss_(loss),
      ridge_(std::move(ridge)) {
  const auto count = [](Index k) { return std::to_string(k); };
  if (sample_count() == 0 || dimension() == 0) throw InputError("linear model: the data is empty");
  if (data_->labels.size() != sample_count())
    throw InputError("linear model: " + count(sample_count()) + " rows but " + count(data_->labels.size()) +
                     " labels");
  if (ridge_.size() != 0 && ridge_.size() != dimension())
    throw InputError("linear model: " + count(dimension()) + " columns but " + count(ridge_.size()) +
                     " ridge weights");
  if (!data_->names.empty() && static_cast<Index>(data_->names.size()) != dimension())
    throw InputError("linear model: " + count(dimension()) + " columns but " +
                     count(static_cast<Index>(data_->names.size())) + " names");
  for (const double weight : ridge_)
    if (!(weight >= 0) || !is_finite(weight))
      throw InputError("linear model: ridge weight " + std::to_string(weight) +
                       "; it must be finite and >= 0");
  for (const double label : data_->labels)
    if (is_classification(loss_) ? std::abs(label) != 1 : !is_finite(label))
      throw InputError("linear model: label " + std::to_string(label) +
                       (is_classification(loss_) ? "; a classification loss needs labels -1 and +1"
                                                 : " is not a finite number"));
}

RowPasses LinearModel::passes() const {
  if (!shares_) return RowPasses(features(), passes_over_.get());
  std::vector<Index> starts = starts_of_shares();
  std::vector<double> entries;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k)
    entries.push_back(features().rows_from(starts[k], starts[k + 1] - starts[k]).entries());
  return RowPasses(dimension(), *shares_, std::move(starts), std::move(entries), entries_of_all_);
}

template <class Samples, class Result, class Visit>
Result LinearModel::sum_in_shares(const Samples& samples, const Result& zero, const Visit& visit) const {
  return passes().sum_whole(zero, [&](Index first, Index last, Result& part) {
    for (const auto sample : samples)
      if (const Index i = static_cast<Index>(sample) - first_; first <= i && i < last) visit(i, part);
  });
}

void LinearModel::tell_of(Sample sample, std::span<double> figures) const {
  if (!shares_->among) return;
  Index process = 0;
  while (static_cast<Index>(sample) >= first_of_share(total_, shares_->first_of(process + 1), shares_->count))
    ++process;
  shares_->among->broadcast(process, figures);
}

void LinearModel::batch_gradient(ConstVectorRef x, std::span<const Sample> samples, VectorRef out) const {
  if (shares_) {
    const auto add_slope = [&](Index i, auto& to) {
      data_->features.add_row(i, loss_slope(loss_, data_->features.dot(i, x), data_->labels[i]), to);
    };
    if (samples.size() == 1) {
      out.setZero();
      if (const Index i = static_cast<Index>(samples[0]) - first_; is_here(i)) add_slope(i, out);
      tell_of(samples[0], {out.data(), static_cast<std::size_t>(out.size())});
    } else {
      out = sum_in_shares(samples, Vector(Vector::Zero(dimension())), add_slope);
      out /= static_cast<double>(samples.size());
    }
    if (ridge_.size()) out += ridge_.cwiseProduct(x);
    return;
  }
  const bool ridge_at_once = ridge_.size() && !processes_;  // else it must be added once, after the sum
  if (ridge_at_once)
    out = ridge_.cwiseProduct(x);
  else
    out.setZero();
  for (const Sample sample : samples)
    if (const Index i = static_cast<Index>(sample) - first_; is_here(i))
      data_->features.add_row(i,
                              loss_slope(loss_, data_->features.dot(i, x), data_->labels[i]) /
                                  static_cast<double>(samples.size()),
                              out);
  sum_over_processes(out);
  if (ridge_.size() && !ridge_at_once) out += ridge_.cwiseProduct(x);
}

double LinearModel::batch_value(ConstVectorRef x, std::span<const Sample> samples) const {
  const double ridge = ridge_value(x);
  const auto value_of = [&](Index i) {
    return loss_value(loss_, data_->features.dot(i, x), data_->labels[i]);
  };
  if (shares_ && samples.size() == 1) {
    const Index i = static_cast<Index>(samples[0]) - first_;
    double value = is_here(i) ? value_of(i) : 0;
    tell_of(samples[0], {&value, 1});
    return ridge + value;
  }
  if (shares_)
    return ridge + sum_in_shares(samples, 0.0, [&](Index i, double& part) { part += value_of(i); }) /
                       static_cast<double>(samples.size());
  double sum = 0;
  for (const Sample sample : samples)
    if (const Index i = static_cast<Index>(sample) - first_; is_here(i)) sum += value_of(i) + ridge;
  sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / static_cast<double>(samples.size());
}

namespace {

// sum += the slopes of rows first, ..., last - 1 times the rows; returns the sum of their losses where these
// are wanted.
template <bool with_losses>
double add_slopes(const LinearModel& model, ConstVectorRef x, Index first, Index last, double* sum) {
  double losses = 0;
  std::visit(
      [&](const auto& loss) {
        const auto slopes = [&](Index i, Index count, double* products) {
          const double* const labels = model.labels().data() + i;
          if constexpr (with_losses) losses += sum_of_losses(model.loss(), products, labels, count);
          for (Index k = 0; k < count; ++k) products[k] = loss.slope(products[k], labels[k]);
        };
        model.features().for_each_block(first, last, x, slopes, sum);
      },
      model.loss());
  return losses;
}

}  // namespace

void LinearModel::mean_gradient(ConstVectorRef x, VectorRef out) const {
  const RowPasses passes = this->passes();
  const auto size = static_cast<double>(dimension());
  out.setZero();
  if (!shares_ && RowPasses::chunks(passes.entries(), size) == 1)
    // nothing is allocated: methods with full gradients take this step after step
    add_slopes<false>(*this, x, 0, rows_here(), out.data());
  else
    out = passes.sum(passes.entries(), size, Vector(out), [&](Index first, Index last, Vector& part) {
      add_slopes<false>(*this, x, first, last, part.data());
    });
  sum_over_processes(out);
  out /= static_cast<double>(sample_count());
  if (ridge_.size()) out += ridge_.cwiseProduct(x);
}

double LinearModel::value_and_gradient(ConstVectorRef x, VectorRef out) const {
  const RowPasses passes = this->passes();
  const Index n = dimension();
  // The last entry is the value.
  Vector sum = passes.sum(passes.entries(), static_cast<double>(n), Vector(Vector::Zero(n + 1)),
                          [&](Index first, Index last, Vector& part) {
                            part[n] += add_slopes<true>(*this, x, first, last, part.data());
                          });
  sum_over_processes(sum);
  sum /= static_cast<double>(sample_count());
  out = sum.head(n);
  if (ridge_.size()) out += ridge_.cwiseProduct(x);
  return sum[n] + ridge_value(x);
}

double LinearModel::mean_loss(ConstVectorRef x) const {
  const RowPasses passes = this->passes();
  double sum = passes.sum(passes.entries(), 1, 0.0, [&](Index first, Index last, double& part) {
    data_->features.for_each_block(first, last, x, [&](Index i, Index count, const double* products) {
      part += sum_of_losses(loss_, products, data_->labels.data() + i, count);
    });
  });
  sum_over_processes(VectorRef(Eigen::Map<Vector>(&sum, 1)));
  return sum / static_cast<double>(sample_count());
}

double LinearModel::mean_value(ConstVectorRef x) const { return mean_loss(x) + ridge_value(x); }

std::optional<double> LinearModel::smoothness() const {
  return loss_curvature(loss_) * mean_squared_norm(Vector::Ones(dimension())) +
         (ridge_.size() ? ridge_.maxCoeff() : 0.0);
}

void LinearModel::outer_products(std::span<const Index> samples, ConstVectorRef x, VectorRef out) const {
  if (shares_) {
    out = sum_in_shares(samples, Vector(Vector::Zero(dimension())), [&](Index i, Vector& part) {
      data_->features.add_row(i, data_->features.dot(i, x), part);
    });
    return;
  }
  out.setZero();
  for (const Index sample : samples)
    if (const Index i = sample - first_; is_here(i))
      data_->features.add_row(i, data_->features.dot(i, x), out);
  sum_over_processes(out);
}

LinearModel LinearModel::with_loss(Loss loss) const {
  LinearModel copy = *this;
  copy.loss_ = loss;
  return copy;
}

namespace {

// Whole numbers, so that the order of the processes does not matter.
double entries_of_all(const Shares& shares, double entries) {
  if (shares.among) shares.among->sum(VectorRef(Eigen::Map<Vector>(&entries, 1)));
  return entries;
}

}  // namespace

LinearModel LinearModel::with_features(Features features) const {
  LinearModel copy = *this;
  copy.data_ = std::make_shared<Data>(Data{std::move(features), data_->labels, data_->names});
  copy.columns_ = std::make_shared<CountedColumns>();
  if (shares_) copy.entries_of_all_ = entries_of_all(*shares_, copy.features().entries());
  return copy;
}

LinearModel LinearModel::with_rows(LabelledRows rows) const {
  return {std::move(rows.features), std::move(rows.labels), loss_, ridge_, data_->names};
}

LinearModel LinearModel::part(const std::vector<Index>& rows) const {
  return {data_->features.part(rows), data_->labels(rows), loss_, ridge_, data_->names};
}

LinearModel LinearModel::share(Index first, Index count) const {
  LinearModel copy = *this;
  copy.data_ = std::make_shared<Data>(Data{
      data_->features.rows_from(first - first_, count), data_->labels.segment(first - first_, count), {}});
  copy.columns_ = std::make_shared<CountedColumns>();
  copy.first_ = copy.total_ = 0;
  copy.processes_ = copy.passes_over_ = nullptr;
  copy.shares_.reset();
  return copy;
}

LinearModel LinearModel::spread(Index first, Index total, std::shared_ptr<const Processes> processes) const {
  LinearModel copy = *this;
  copy.first_ = first;
  copy.total_ = total;
  copy.processes_ = std::move(processes);
  copy.passes_over_ = nullptr;
  copy.columns_ = std::make_shared<CountedColumns>();
  return copy;
}

LinearModel LinearModel::in_shares(Shares shares, Index total) const {
  LinearModel copy = *this;
  copy.first_ = first_of_share(total, shares.first(), shares.count);
  copy.total_ = total;
  copy.processes_ = copy.passes_over_ = nullptr;
  copy.columns_ = std::make_shared<CountedColumns>();
  copy.entries_of_all_ = entries_of_all(shares, features().entries());
  copy.shares_ = std::move(shares);
  return copy;
}

std::vector<Index> LinearModel::starts_of_shares() const {
  std::vector<Index> out;
  for (Index share = shares_->first(); share <= shares_->end(); ++share)
    out.push_back(first_of_share(total_, share, shares_->count) - first_);
  return out;
}

RowPasses LinearModel::passes_over(const std::vector<Index>& chosen) const {
  if (!shares_)
    return RowPasses(static_cast<Index>(chosen.size()), dimension(), features().entries_of(chosen),
                     passes_over_.get());
  std::vector<Index> starts;
  for (const Index start : starts_of_shares())
    starts.push_back(std::lower_bound(chosen.begin(), chosen.end(), start) - chosen.begin());
  std::vector<double> entries;
  double sum = 0;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k)
    sum += entries.emplace_back(features().entries_of(std::span(chosen).subspan(
        static_cast<std::size_t>(starts[k]), static_cast<std::size_t>(starts[k + 1] - starts[k]))));
  return RowPasses(dimension(), *shares_, std::move(starts), std::move(entries),
                   entries_of_all(*shares_, sum));
}

LinearModel LinearModel::with_passes_over(std::shared_ptr<const Processes> processes) const {
  LinearModel copy = *this;
  copy.passes_over_ = std::move(processes);
  copy.columns_ = std::make_shared<CountedColumns>();
  return copy;
}

bool LinearModel::passes_worth_processes() const { return passes().worth_processes(); }

}  // namespace bridle
