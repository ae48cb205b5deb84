#include "bridle/algorithms/sampled_iterate.hpp"

#include "bridle/problem/rows/row_sampling.hpp"

namespace bridle {
namespace {

// Draws of the problem's rows in the coordinates of the standard form.
class ScaledRows {
 public:
  ScaledRows(const StandardForm& form, AnyStochasticRows inner)
      : inner_(std::move(inner)),
        matrix_(form.matrix()),
        right_(form.right()),
        columns_(form.column_scale()),
        row_scale_(form.row_scale()),
        expected_(form.problem().expected_right()),
        first_(static_cast<Index>(form.kept_rows().size()) - inner_.count()) {}

  Index dimension() const { return matrix_.cols(); }
  Index count() const { return matrix_.rows(); }
  bool samples_inclusion() const { return inner_.samples_inclusion(); }

  // Presolve keeps all stochastic rows, at the end. The form carries E[b] in its bounds and right-hand sides:
  // a draw adds the difference b_zeta - E[b].
  void draw(Sample zeta, RowSample& out) const {
    RowSample drawn;
    inner_.draw(zeta, drawn);
    for (const auto& row : drawn.rows) {
      const Index i = first_ + row.row;
      out.begin_row(i, row.weight, right_[i] + row_scale_[i] * (row.right - expected_[row.row]));
      for (std::size_t e = row.begin; e < row.end; ++e)
        out.add(drawn.columns[e], row_scale_[i] * drawn.values[e] * columns_[drawn.columns[e]]);
    }
    for (Index i = 0; i < first_; ++i) {
      out.begin_row(i, 1, right_[i]);
      for (SparseRows::InnerIterator it(matrix_, i); it; ++it) out.add(it.col(), it.value());
    }
  }

 private:
  AnyStochasticRows inner_;
  SparseRows matrix_;
  Vector right_, columns_, row_scale_, expected_;
  Index first_;
};

}  // namespace

AnyStochasticRows standard_rows(const StandardForm& form, Index rows_per_draw) {
  if (form.problem().stochastic_rows()) return ScaledRows(form, *form.problem().stochastic_rows());
  return RowSampling(form.matrix(), form.right(), rows_per_draw);
}

SampledIterate::SampledIterate(const StandardForm& form, AnyStochasticRows rows, Iterate start,
                               bool literal_draws, const BatchShare* share)
    : form_(form),
      share_(share),
      rows_(std::move(rows)),
      now_(std::move(start)),
      metric_(form.metric().kind() == MetricKind::diagonal ? form.metric().diagonal_scale() : 1),
      inclusion_(rows_.samples_inclusion() && !literal_draws),
      slack_of_row_(static_cast<std::size_t>(form.rows()), -1),
      direction_(Vector::Zero(form.dimension())),
      one_gradient_(form.dimension()),
      point_(form.variables()),
      previous_(form.dimension()),
      row_scratch_(form.rows()),
      y_squared_(now_.y.squaredNorm()),
      touched_at_(Vector::Zero(static_cast<Index>(form.slack_rows().size()))) {
  for (std::size_t k = 0; k < form.slack_rows().size(); ++k)
    slack_of_row_[static_cast<std::size_t>(form.slack_rows()[k])] = static_cast<Index>(k);
  sum_up_multipliers();
  if (now_.previous_x.size() == 0) now_.previous_x = now_.x;
  if (now_.previous_y.size() == 0) now_.previous_y = now_.y;
}

void SampledIterate::touch(Index slack) {
  const double shrink = std::exp(log_shrink_ - touched_at_[slack]);
  touched_at_[slack] = log_shrink_;
  if (shrink == 1) return;
  const Index j = form_.variables() + slack;
  const double sum = kappa_ * now_.x[j] + now_.z[j], difference = shrink * (now_.x[j] - now_.z[j]);
  now_.x[j] = (sum + difference) / (1 + kappa_);
  now_.z[j] = (sum - kappa_ * difference) / (1 + kappa_);
}

void SampledIterate::touch_all() {
  for (Index k = 0; k < touched_at_.size(); ++k) touch(k);
  log_shrink_ = 0;
  touched_at_.setZero();
}

const Iterate& SampledIterate::state() const {
  // Changes how the state is stored, not what it is: an iterate built from the copy goes on bit for bit the
  // same.
  auto& self = const_cast<SampledIterate&>(*this);
  self.touch_all();
  self.sum_up_multipliers();
  return now_;
}

void SampledIterate::sum_up_multipliers() {
  y_squared_ = now_.y.squaredNorm();
  if (inclusion_) dual_pull_ = form_.matrix().transpose() * now_.y;
}

double SampledIterate::drawn_residual(const RowSample& sample, const RowSample::Row& row,
                                      const Vector& x) const {
  double sum = -row.right;
  for (std::size_t e = row.begin; e < row.end; ++e) sum += sample.values[e] * x[sample.columns[e]];
  if (const Index k = slack_of_row_[static_cast<std::size_t>(row.row)]; k >= 0)
    sum -= form_.slack_coefficient()[k] * x[form_.variables() + k];
  return sum;
}

void SampledIterate::add_row(const RowSample& sample, const RowSample::Row& row, double factor,
                             Vector& out) const {
  for (std::size_t e = row.begin; e < row.end; ++e) out[sample.columns[e]] += factor * sample.values[e];
  if (const Index k = slack_of_row_[static_cast<std::size_t>(row.row)]; k >= 0)
    out[form_.variables() + k] -= factor * form_.slack_coefficient()[k];
}

void SampledIterate::safeguard(double dual_bound) {
  if (!(y_squared_ >= dual_bound * dual_bound)) return;
  now_.y.setZero();
  y_squared_ = 0;
  dual_pull_.setZero();
  ++now_.resets;
}

void SampledIterate::dual_step(double eta, double dual_bound, Sample zeta) {
  rows_.draw(zeta, sample_);
  for (const auto& row : sample_.rows) {
    if (const Index k = slack_of_row_[static_cast<std::size_t>(row.row)]; k >= 0) touch(k);
    double& y = now_.y[row.row];
    y_squared_ -= y * y;
    const double change = eta * metric_ * row.weight * drawn_residual(sample_, row, now_.x);
    y += change;
    y_squared_ += y * y;
    if (inclusion_)
      for (std::size_t e = row.begin; e < row.end; ++e)
        dual_pull_[sample_.columns[e]] += change * sample_.values[e];
  }
  safeguard(dual_bound);
}

void SampledIterate::add_pull(const Vector& x, const Vector& y, double rho, Sample zeta1, Sample zeta2,
                              Vector& out) {
  rows_.draw(zeta1, sample_);
  if (inclusion_) {  // one draw: weight a_i (y_i + rho (a_i'x - b_i))
    for (const auto& row : sample_.rows) {
      const double residual = metric_ * drawn_residual(sample_, row, x);
      add_row(sample_, row, row.weight * (y[row.row] + rho * residual), out);
    }
    return;
  }
  rows_.draw(zeta2, second_);
  row_scratch_.setZero();
  for (const auto& row : second_.rows)
    row_scratch_[row.row] += metric_ * row.weight * drawn_residual(second_, row, x);
  for (const auto& row : sample_.rows)
    add_row(sample_, row, row.weight * (y[row.row] + rho * row_scratch_[row.row]), out);
}

// Slacks of the drawn rows are brought up to date before their values are read, and get a direction of their
// own.
void SampledIterate::ready_slacks(const RowSample& sample) {
  for (const auto& row : sample.rows)
    if (const Index k = slack_of_row_[static_cast<std::size_t>(row.row)]; k >= 0) {
      touch(k);
      direction_[form_.variables() + k] = 0;
      moved_.push_back(k);
    }
}

void SampledIterate::add_constraint_pull(double rho, Sample zeta1, Sample zeta2) {
  moved_.clear();
  rows_.draw(zeta1, sample_);
  ready_slacks(sample_);
  if (!inclusion_) {
    rows_.draw(zeta2, second_);
    ready_slacks(second_);
    return add_pull(now_.x, now_.y, rho, zeta1, zeta2, direction_);
  }
  // The rows themselves are known and y changes on few of them: A'y is carried exactly, which is the mean of
  // the draws' A_zeta1'y without its variance. Slacks see their own multiplier only, when their row is drawn.
  variables(direction_) += dual_pull_;
  for (const auto& row : sample_.rows) {
    const double penalty = row.weight * rho * metric_ * drawn_residual(sample_, row, now_.x);
    for (std::size_t e = row.begin; e < row.end; ++e)
      direction_[sample_.columns[e]] += penalty * sample_.values[e];
    if (const Index k = slack_of_row_[static_cast<std::size_t>(row.row)]; k >= 0)
      direction_[form_.variables() + k] -=
          (row.weight * now_.y[row.row] + penalty) * form_.slack_coefficient()[k];
  }
}

void SampledIterate::primal_step(const Parameters& p) {
  const Index n = form_.variables();
  auto x = now_.x.head(n), z = now_.z.head(n);
  auto old = previous_.head(n);
  old = x;
  x = old - p.tau * (direction_.head(n) + p.mu * (old - z));
  form_.project_variables(x);
  z += p.beta * (old - z);

  // Every slack moves by -tau mu (s - z), those that were drawn by their direction too. Lazily: kappa =
  // beta/(tau mu).
  const double pull = p.tau * p.mu;
  if (const double kappa = pull > 0 ? p.beta / pull : 1; std::abs(kappa - kappa_) > 1e-12 * kappa) {
    touch_all();  // the closed formula holds for one kappa; steps that shrink together keep it, but for
                  // rounding
    kappa_ = kappa;
  }
  const double shrink = 1 - pull - p.beta;
  const bool lazy = pull > 0 && shrink > 0;
  if (!lazy && pull > 0) touch_all();
  std::sort(moved_.begin(), moved_.end());
  moved_.erase(std::unique(moved_.begin(), moved_.end()), moved_.end());
  if (pull > 0) log_shrink_ += std::log(std::max(shrink, 1e-3));
  for (const Index k : moved_) {
    const Index j = n + k;
    const double s = now_.x[j], anchor = now_.z[j];
    now_.x[j] = form_.project_slack(k, s - p.tau * (direction_[j] + p.mu * (s - anchor)));
    now_.z[j] = anchor + p.beta * (s - anchor);
    touched_at_[k] = log_shrink_;
    direction_[j] = 0;
  }
  moved_.clear();
}

void SampledIterate::set_residual(const Vector& x, Sample zeta, Vector& out) {
  rows_.draw(zeta, sample_);
  out.setZero();
  for (const auto& row : sample_.rows) out[row.row] += metric_ * row.weight * drawn_residual(sample_, row, x);
}

void SampledIterate::estimated_dual_step(double eta, double dual_bound) {
  now_.previous_y = now_.y;
  now_.y += eta * now_.residual_estimate;
  y_squared_ = now_.y.squaredNorm();
  safeguard(dual_bound);
}

void SampledIterate::update_pull_estimate(double alpha, double rho, Sample zeta1, Sample zeta2) {
  one_gradient_.setZero();
  add_pull(now_.previous_x, now_.previous_y, rho, zeta1, zeta2, one_gradient_);
  now_.pull_estimate = (1 - alpha) * (now_.pull_estimate - one_gradient_);
  add_pull(now_.x, now_.y, rho, zeta1, zeta2, now_.pull_estimate);
}

void SampledIterate::use_estimates() {
  direction_ = now_.estimate + now_.pull_estimate;
  moved_.clear();
  for (Index k = 0; k < touched_at_.size(); ++k) moved_.push_back(k);
  now_.previous_x = now_.x;
}

}  // namespace bridle
