#include "bridle/algorithms/representations/fused_iterate.hpp"

namespace bridle {
namespace {

Index padded(Index variables) { return blocks_for(variables) * lanes; }

}  // namespace

FusedIterate::FusedIterate(const StandardForm& form, const Iterate& start)
    : LinearIterate(form, start),
      x_(form.variables()),
      z_(form.variables()),
      weight_squared_(form.variables()),
      ridge_(form.variables()),
      lower_(form.variables()),
      upper_(form.variables()),
      matrix_(fused_rows(form.rows()) * padded(form.variables())),
      direction_(form.variables()),
      bounded_(false) {
  const Vector& columns = form.column_scale();
  const auto bounds = form.variable_bounds();
  for (Index j = 0; j < form.variables(); ++j) {
    weight_squared_[j] = columns[j] * columns[j];
    if (model_.ridge().size() > 0) ridge_[j] = model_.ridge()[j];
    lower_[j] = bounds->lower[j] * columns[j];
    upper_[j] = bounds->upper[j] * columns[j];
    bounded_ = bounded_ || is_finite(lower_[j]) || is_finite(upper_[j]);
  }
  for (Index r = 0; r < form.rows(); ++r)
    for (SparseRows::InnerIterator it(form.matrix(), r); it; ++it)
      matrix_[r * padded(form.variables()) + it.col()] = it.value() / columns[it.col()];
  const auto& storage = model_.features().storage();
  if (const auto* wide = std::get_if<DenseView<double>>(&storage)) dense_ = ReadableRows(*wide);
  if (const auto* narrow = std::get_if<DenseView<float>>(&storage)) dense_ = ReadableRows(*narrow);
  read_variables(start);
}

void FusedIterate::read_variables(const Iterate& state) {
  const Index n = form_.variables();
  known_ = -1;
  for (Index j = 0; j < n; ++j) {
    x_[j] = form_.column_scale()[j] * state.x[j];
    z_[j] = form_.column_scale()[j] * state.z[j];
  }
  Eigen::Map<Vector>(rows_.activity(), form_.rows()) = form_.matrix() * state.x.head(n);
}

void FusedIterate::write_variables(Iterate& out) const {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j) {
    out.x[j] = x_[j] / form_.column_scale()[j];
    out.z[j] = z_[j] / form_.column_scale()[j];
  }
  if (bounded_) form_.project_variables(out.x.head(n));
}

void FusedIterate::settle_variables(Iterate& out) {
  write_variables(out);
  read_variables(out);
}

double FusedIterate::product_with(Index sample) {
  if (sample == known_) return known_product_;
  if (const auto* rows = std::get_if<ReadableRows<double>>(&dense_))
    return fused_dot((*rows)[sample], x_.data(), form_.variables());
  if (const auto* rows = std::get_if<ReadableRows<float>>(&dense_))
    return fused_dot((*rows)[sample], x_.data(), form_.variables());
  double sum = 0;
  model_.features().for_each(sample, [&](Index j, double a) { sum += a * x_[j]; });
  return sum;
}

void FusedIterate::gather() {
  for (const Term& term : terms_)
    model_.features().for_each(term.sample, [&](Index j, double a) { direction_[j] += term.slope * a; });
}

void FusedIterate::clear() {
  for (const Term& term : terms_)
    model_.features().for_each(term.sample, [&](Index j, double) { direction_[j] = 0; });
}

void FusedIterate::primal_and_smoothing_step(const Parameters& p) {
  const FusedPass pass{form_.variables(),
                       fused_rows(form_.rows()),
                       x_.data(),
                       z_.data(),
                       weight_squared_.data(),
                       model_.ridge().size() > 0 ? ridge_.data() : nullptr,
                       matrix_.data(),
                       bounded_ ? lower_.data() : nullptr,
                       upper_.data(),
                       p.tau,
                       p.mu,
                       p.beta,
                       rows_.weight().data(),
                       rows_.activity()};
  const auto pass_of_one = [&](const auto& rows) {
    known_product_ = fused_pass(pass, terms_.front().slope, rows[terms_.front().sample], rows[next_]);
    known_ = next_;
  };
  known_ = -1;
  const auto* wide = std::get_if<ReadableRows<double>>(&dense_);
  const auto* narrow = std::get_if<ReadableRows<float>>(&dense_);
  if (wide && terms_.size() == 1) {
    pass_of_one(*wide);
  } else if (narrow && terms_.size() == 1) {
    pass_of_one(*narrow);
  } else {
    gather();
    fused_pass(pass, direction_.data());
    clear();
  }
  rows_.move_slacks(p);
}

}  // namespace bridle
