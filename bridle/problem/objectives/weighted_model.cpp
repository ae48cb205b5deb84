#include "bridle/problem/objectives/weighted_model.hpp"

#include "bridle/core/error.hpp"
#include "bridle/problem/objectives/linear_sums.hpp"

namespace bridle {

WeightedModel::WeightedModel(LinearModel model, Vector weights)
    : model_(std::move(model)), shares_(std::move(weights)) {
  if (shares_.size() != model_.sample_count())
    throw InputError(std::to_string(shares_.size()) + " weights for " +
                     std::to_string(model_.sample_count()) + " samples");
  if (!shares_.allFinite() || shares_.minCoeff() < 0)
    throw InputError("a weight of a sample is not a number >= 0");
  const double mean = shares_.mean();
  if (!(mean > 0)) throw InputError("the weights of all samples are 0");
  shares_ /= mean;
}

double WeightedModel::ridge_value(ConstVectorRef x) const {
  return model_.ridge().size() ? 0.5 * model_.ridge().dot(x.cwiseAbs2()) : 0.0;
}

void WeightedModel::gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
  const Vector& ridge = model_.ridge();
  const double share = shares_[static_cast<Index>(sample)];
  model_.gradient(x, sample, out);
  out *= share;
  if (ridge.size()) out += (1 - share) * ridge.cwiseProduct(x);
}

double WeightedModel::value(ConstVectorRef x, Sample sample) const {
  const double share = shares_[static_cast<Index>(sample)];
  return share * model_.value(x, sample) + (1 - share) * ridge_value(x);
}

double WeightedModel::mean_value(ConstVectorRef x) const {
  const LinearSums sums(model_);
  Vector outputs;
  sums.outputs(x, outputs);
  double sum = 0;
  for (Index i = 0; i < outputs.size(); ++i)
    if (shares_[i] > 0) sum += shares_[i] * loss_value(model_.loss(), outputs[i], model_.labels()[i]);
  return sum / static_cast<double>(outputs.size()) + ridge_value(x);
}

void WeightedModel::mean_gradient(ConstVectorRef x, VectorRef out) const {
  const LinearSums sums(model_);
  Vector outputs, slopes, bends;
  sums.outputs(x, outputs);
  sums.derivatives(outputs, slopes, bends);
  sums.mean_row(slopes.cwiseProduct(shares_), out);
  if (model_.ridge().size()) out += model_.ridge().cwiseProduct(x);
}

double WeightedModel::value_and_gradient(ConstVectorRef x, VectorRef out) const {
  mean_gradient(x, out);
  return mean_value(x);
}

void WeightedModel::hessian(ConstVectorRef x, Matrix& out) const {
  const LinearSums sums(model_);
  Vector outputs, slopes, bends;
  sums.outputs(x, outputs);
  sums.derivatives(outputs, slopes, bends);
  sums.mean_square(bends.cwiseProduct(shares_), out);
  if (model_.ridge().size()) out.diagonal() += model_.ridge();
}

std::optional<double> WeightedModel::smoothness() const {
  const auto plain = model_.smoothness();
  if (!plain) return {};
  return *plain * std::max(1.0, shares_.maxCoeff());
}

}  // namespace bridle
