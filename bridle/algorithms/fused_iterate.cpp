#include "bridle/algorithms/fused_iterate.hpp"

namespace bridle {
namespace {

Index padded(Index variables) { return (variables + lanes - 1) / lanes * lanes; }

// Reads into the next row are harmless; the last row has none.
template <class Scalar>
SampleRow<Scalar> row_of(const DenseRows<Scalar>& data, Index i) {
  return {data.data() + i * data.cols(), data.cols() * (data.rows() - i)};
}

}  // namespace

FusedIterate::FusedIterate(const StandardForm& form, Iterate start)
    : LinearIterate(form, std::move(start)),
      x_(form.variables()),
      z_(form.variables()),
      weight_squared_(form.variables()),
      ridge_(form.variables()),
      lower_(form.variables()),
      upper_(form.variables()),
      matrix_(fused_rows(form.rows()) * padded(form.variables())),
      direction_(form.variables()),
      bounded_(false),
      products_(Vector::Zero(fused_rows(form.rows()))),
      row_weights_(products_) {
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
  read_in();
}

void FusedIterate::read_in() {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j) {
    x_[j] = form_.column_scale()[j] * now_.x[j];
    z_[j] = form_.column_scale()[j] * now_.z[j];
  }
  products_.head(form_.rows()) = form_.matrix() * now_.x.head(n);
}

void FusedIterate::write_out() {
  const Index n = form_.variables();
  for (Index j = 0; j < n; ++j) {
    now_.x[j] = x_[j] / form_.column_scale()[j];
    now_.z[j] = z_[j] / form_.column_scale()[j];
  }
  form_.project_variables(now_.x.head(n));
}

double FusedIterate::product_with(Index sample) {
  const double* x = x_.data();
  return std::visit(
      [&](const auto& data) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(data)>, SparseRows>) {
          const auto* columns = data.innerIndexPtr();
          const auto* values = data.valuePtr();
          const auto end = data.outerIndexPtr()[sample + 1];
          double even = 0, odd = 0;
          auto e = data.outerIndexPtr()[sample];
          for (; e + 1 < end; e += 2) {
            even += values[e] * x[columns[e]];
            odd += values[e + 1] * x[columns[e + 1]];
          }
          if (e < end) even += values[e] * x[columns[e]];
          return even + odd;
        } else {
          return fused_dot(row_of(data, sample), x, data.cols());
        }
      },
      model_.features().storage());
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
  written_ = false;
  row_weights_.head(form_.rows()) = weight_;
  const FusedPass pass{form_.variables(),
                       products_.size(),
                       x_.data(),
                       z_.data(),
                       weight_squared_.data(),
                       ridge_.data(),
                       matrix_.data(),
                       bounded_ ? lower_.data() : nullptr,
                       upper_.data(),
                       p.tau,
                       p.mu,
                       p.beta,
                       row_weights_.data(),
                       products_.data()};
  const auto row_of_one = [&](const auto& data) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(data)>, SparseRows>)
      fused_pass(pass, terms_.front().slope, row_of(data, terms_.front().sample));
  };
  if (terms_.size() == 1 && !model_.features().sparse()) {
    std::visit(row_of_one, model_.features().storage());
  } else {
    gather();
    fused_pass(pass, 1, SampleRow<double>{direction_.data(), padded(form_.variables())});
    clear();
  }
  move_slacks(p);
}

}  // namespace bridle
