#include "bridle/problem/objectives/neural_model.hpp"

#include <cmath>

#include "bridle/core/random.hpp"
#include "bridle/core/tree_sum.hpp"

namespace bridle {

NeuralModel::NeuralModel(LinearModel data, std::vector<Index> hidden, Vector sample_weights)
    : data_(std::move(data)),
      network_(data_.features().columns(), std::move(hidden)),
      shares_(std::move(sample_weights)) {
  if (shares_.size() > 0) {
    if (shares_.size() != data_.sample_count())
      throw InputError(std::to_string(shares_.size()) + " weights for " +
                       std::to_string(data_.sample_count()) + " samples");
    const double mean = shares_.mean();
    if (!shares_.allFinite() || shares_.minCoeff() < 0 || !(mean > 0))
      throw InputError("weights of samples are numbers >= 0, not all of them 0");
    shares_ /= mean;
  }
  const Vector& columns = data_.ridge();
  if (columns.size() == 0) return;
  ridge_ = Vector::Constant(network_.weights(), columns.maxCoeff());
  for (const auto& layer : network_.layers()) {
    if (layer.bias) ridge_.segment(layer.first + layer.weights() - layer.units, layer.units).setZero();
    if (layer.first > 0) continue;
    for (Index j = 0; j < layer.inputs; ++j)
      ridge_.segment(j * layer.units, layer.units).setConstant(columns[j]);
  }
}

NeuralModel::Batch::Batch(const LinearModel& data, std::span<const Sample> samples)
    : rows(samples.begin(), samples.end()), first(rows.size() == 1 ? rows.front() : 0) {
  if (rows.size() > 1) picked = data.features().part(rows);
}

void NeuralModel::batch_gradient(ConstVectorRef w, std::span<const Sample> samples, VectorRef out) const {
  const Batch batch(data_, samples);
  out.setZero();
  network_.for_each_block(
      batch.features(data_), batch.first, batch.last(), w,
      [&](Index i, Index count, double* scores) {
        for (Index k = 0; k < count; ++k) {
          const Index row = batch.row(i + k);
          scores[k] = share(row) * loss_slope(data_.loss(), scores[k], data_.labels()[row]);
        }
      },
      out.data());
  out /= static_cast<double>(samples.size());
  if (ridge_.size()) out += ridge_.cwiseProduct(w);
}

double NeuralModel::batch_value(ConstVectorRef w, std::span<const Sample> samples) const {
  const Batch batch(data_, samples);
  double sum = 0;
  network_.for_each_block(batch.features(data_), batch.first, batch.last(), w,
                          [&](Index i, Index count, const double* scores) {
                            for (Index k = 0; k < count; ++k) {
                              const Index row = batch.row(i + k);
                              sum += share(row) * loss_value(data_.loss(), scores[k], data_.labels()[row]);
                            }
                          });
  return sum / static_cast<double>(samples.size()) + ridge_value(w);
}

double NeuralModel::mean_value(ConstVectorRef w) const {
  const double sum =
      sum_over_chunks(sample_count(), threads_in_use(), 0.0, [&](Index first, Index last, double& part) {
        network_.for_each_block(
            data_.features(), first, last, w, [&](Index i, Index count, const double* scores) {
              for (Index k = 0; k < count; ++k)
                part += share(i + k) * loss_value(data_.loss(), scores[k], data_.labels()[i + k]);
            });
      });
  return sum / static_cast<double>(sample_count()) + ridge_value(w);
}

double NeuralModel::value_and_gradient(ConstVectorRef w, VectorRef out) const {
  // The last entry is the value.
  Vector sum = sum_over_chunks(sample_count(), threads_in_use(), Vector(Vector::Zero(dimension() + 1)),
                               [&](Index first, Index last, Vector& part) {
                                 double value = 0;
                                 network_.for_each_block(
                                     data_.features(), first, last, w,
                                     [&](Index i, Index count, double* scores) {
                                       for (Index k = 0; k < count; ++k) {
                                         const double label = data_.labels()[i + k], weight = share(i + k);
                                         value += weight * loss_value(data_.loss(), scores[k], label);
                                         scores[k] = weight * loss_slope(data_.loss(), scores[k], label);
                                       }
                                     },
                                     part.data());
                                 part[dimension()] += value;
                               });
  sum /= static_cast<double>(sample_count());
  out = sum.head(dimension());
  if (ridge_.size()) out += ridge_.cwiseProduct(w);
  return sum[dimension()] + ridge_value(w);
}

void NeuralModel::hessian_product(ConstVectorRef w, ConstVectorRef direction, VectorRef out) const {
  out = sum_over_chunks(sample_count(), threads_in_use(), Vector(Vector::Zero(dimension())),
                        [&](Index first, Index last, Vector& part) {
                          network_.add_hessian_product(
                              data_.features(), first, last, w, direction,
                              [&](Index i, Index count, double* scores, double* bends) {
                                for (Index k = 0; k < count; ++k) {
                                  const double label = data_.labels()[i + k], weight = share(i + k);
                                  bends[k] = weight * loss_bend(data_.loss(), scores[k], label);
                                  scores[k] = weight * loss_slope(data_.loss(), scores[k], label);
                                }
                              },
                              part.data());
                        }) /
        static_cast<double>(sample_count());
  if (ridge_.size()) out += ridge_.cwiseProduct(direction);
}

Names NeuralModel::variable_names() const {
  const Names columns = data_.variable_names();
  Names out;
  out.reserve(static_cast<std::size_t>(dimension()));
  const auto unit = [](Index k) { return "unit" + std::to_string(k + 1); };
  for (std::size_t k = 0; k < network_.layers().size(); ++k) {
    const auto& layer = network_.layers()[k];
    const bool output = k + 1 == network_.layers().size();
    const std::string name = output ? "output." : "layer" + std::to_string(k + 1) + ".";
    for (Index j = 0; j < layer.inputs; ++j) {
      const std::string input =
          k == 0 ? (columns.empty() ? "x" + std::to_string(j + 1) : columns[static_cast<std::size_t>(j)])
          : layer.bias && j + 1 == layer.inputs ? "bias"
                                                : unit(j);
      for (Index u = 0; u < layer.units; ++u)
        out.push_back(k == 0 ? unit(u) + "." + input : output ? name + input : name + unit(u) + "." + input);
    }
  }
  return out;
}

Vector NeuralModel::start(std::uint64_t seed) const {
  Vector out(dimension());
  Stream(seed, Purpose::generator).fill_normal(out, 0);
  for (const auto& layer : network_.layers()) {
    const double size = layer.first == 0 ? data_.mean_squared_norm(Vector::Ones(data_.features().columns()))
                                         : static_cast<double>(layer.inputs);
    out.segment(layer.first, layer.weights()) /= std::sqrt(std::max(size, 1.0));
  }
  return out;
}

}  // namespace bridle
