#include "bridle/algorithms/representations/sampled_iterate.hpp"

#include "bridle/algorithms/representations/rival_duals.hpp"
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
    thread_local RowSample drawn;  // keeps its memory from draw to draw
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
                               bool literal_draws)
    : SampledRows(form, std::move(rows), std::move(start), literal_draws),
      samples_(form.problem().objective()),
      direction_(Vector::Zero(form.dimension())),
      one_gradient_(form.dimension()),
      point_(form.variables()),
      previous_(form.variables()) {
  read_variables();
}

void SampledIterate::read_variables() {
  sum_up_multipliers();
  if (now_.previous_x.size() == 0) now_.previous_x = now_.x;
  if (now_.previous_y.size() == 0) now_.previous_y = now_.y;
}

void SampledIterate::sum_up_multipliers() {
  y_squared_ = now_.y.squaredNorm();
  if (inclusion_) dual_pull_ = form_.matrix().transpose() * now_.y;
}

double SampledIterate::drawn_activity(const RowSample& sample, const RowSample::Row& row) const {
  double sum = -row.right;
  for (std::size_t e = row.begin; e < row.end; ++e) sum += sample.values[e] * now_.x[sample.columns[e]];
  return sum;
}

void SampledIterate::push(const RowSample& sample, const RowSample::Row& row, double factor) {
  for (std::size_t e = row.begin; e < row.end; ++e)
    direction_[sample.columns[e]] += factor * sample.values[e];
}

void SampledIterate::carry(const RowSample& sample, const RowSample::Row& row, double change) {
  for (std::size_t e = row.begin; e < row.end; ++e)
    dual_pull_[sample.columns[e]] += change * sample.values[e];
}

double SampledIterate::residual_at(const Vector& x, const RowSample& sample,
                                   const RowSample::Row& row) const {
  double sum = -row.right;
  for (std::size_t e = row.begin; e < row.end; ++e) sum += sample.values[e] * x[sample.columns[e]];
  if (const Index k = slack_of(row); k >= 0) sum -= form_.slack_coefficient()[k] * x[form_.variables() + k];
  return sum;
}

void SampledIterate::add_row(const RowSample& sample, const RowSample::Row& row, double factor,
                             Vector& out) const {
  for (std::size_t e = row.begin; e < row.end; ++e) out[sample.columns[e]] += factor * sample.values[e];
  if (const Index k = slack_of(row); k >= 0)
    out[form_.variables() + k] -= factor * form_.slack_coefficient()[k];
}

void SampledIterate::add_pull(const Vector& x, const Vector& y, double rho, Sample zeta1, Sample zeta2,
                              Vector& out) {
  rows_.draw(zeta1, sample_);
  if (inclusion_) {  // one draw: weight a_i (y_i + rho (a_i'x - b_i))
    for (const auto& row : sample_.rows) {
      const double residual = metric_ * residual_at(x, sample_, row);
      add_row(sample_, row, row.weight * (y[row.row] + rho * residual), out);
    }
    return;
  }
  rows_.draw(zeta2, second_);
  row_scratch_.setZero();
  for (const auto& row : second_.rows)
    row_scratch_[row.row] += metric_ * row.weight * residual_at(x, second_, row);
  for (const auto& row : sample_.rows)
    add_row(sample_, row, row.weight * (y[row.row] + rho * row_scratch_[row.row]), out);
}

void SampledIterate::primal_and_smoothing_step(const Parameters& p) {
  auto x = variables(now_.x), z = variables(now_.z);
  previous_ = x;
  x = previous_ - p.tau * (variables(direction_) + p.mu * (previous_ - z));
  form_.project_variables(x);
  z += p.beta * (previous_ - z);
  move_slacks(p);
}

void SampledIterate::set_residual(const Vector& x, Sample zeta, Vector& out) {
  rows_.draw(zeta, sample_);
  out.setZero();
  for (const auto& row : sample_.rows) out[row.row] += metric_ * row.weight * residual_at(x, sample_, row);
}

void SampledIterate::estimated_dual_step(double eta, double dual_bound) {
  now_.previous_y = now_.y;
  now_.y += eta * now_.residual_estimate;
  y_squared_ = now_.y.squaredNorm();
  safeguard(dual_bound);
}

void SampledIterate::outer_dual_step(double eta, double share, const std::vector<RowTriple>& zetas) {
  now_.residual_estimate.setZero();
  for (const auto& draws : zetas) {
    set_residual(now_.x, draws.zeta, row_scratch_);
    now_.residual_estimate += row_scratch_ / static_cast<double>(zetas.size());
  }
  now_.y += eta * outer_step_share(now_.own, share, now_.residual_estimate.norm()) * now_.residual_estimate;
  y_squared_ = now_.y.squaredNorm();
}

void SampledIterate::reset_multipliers_from(double bound) {
  now_.resets += reset_from(now_.y, bound);
  sum_up_multipliers();
}

void SampledIterate::update_pull_estimate(double alpha, double rho, double rho_before, Sample zeta1,
                                          Sample zeta2) {
  one_gradient_.setZero();
  add_pull(now_.previous_x, now_.previous_y, rho_before, zeta1, zeta2, one_gradient_);
  now_.pull_estimate = (1 - alpha) * (now_.pull_estimate - one_gradient_);
  add_pull(now_.x, now_.y, rho, zeta1, zeta2, now_.pull_estimate);
}

void SampledIterate::use_estimates() {
  direction_ = now_.estimate + now_.pull_estimate;
  slack_direction_ = direction_.tail(slack_direction_.size());
  moved_.clear();
  for (Index k = 0; k < touched_at_.size(); ++k) moved_.push_back(k);
  now_.previous_x = now_.x;
}

}  // namespace bridle
