#include "bench/zoo/zoo.hpp"

#include <cmath>

#include "bridle/core/random.hpp"

namespace bridle::zoo {

void Valleys::gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
  mean_gradient(x, out);
  if (noise == 0) return;
  const Stream stream(sample, Purpose::noise);
  const double scale = noise / std::sqrt(static_cast<double>(dimension()));
  double pair[2];
  for (Index j = 0; j < dimension(); j += 2) {
    stream.fill_normal(Eigen::Map<Vector>(pair, 2), static_cast<std::uint64_t>(j));
    out[j] += scale * pair[0];
    if (j + 1 < dimension()) out[j + 1] += scale * pair[1];
  }
}

void Valleys::mean_gradient(ConstVectorRef x, VectorRef out) const {
  const auto away = (x - centre).array();
  out = cost.array() + 2 * weight.array() * away / (1 + away.square());
}

double Valleys::mean_value(ConstVectorRef x) const {
  return cost.dot(x) + weight.dot((x - centre).array().square().log1p().matrix());
}

Animal infeasible_twin(const Animal& animal, std::uint64_t seed) {
  const Rows& rows = animal.problem.rows();
  Vector y(rows.count());
  Stream(seed, Purpose::generator).fill_normal(y, 0);
  double most = 0;
  for (Index i = 0; i < y.size(); ++i) {
    if (!is_finite(y[i] > 0 ? rows.upper[i] : rows.lower[i])) y[i] = -y[i];
    if (!is_finite(y[i] > 0 ? rows.upper[i] : rows.lower[i])) y[i] = 0;
    if (y[i] != 0) most += y[i] * (y[i] > 0 ? rows.upper[i] : rows.lower[i]);
  }
  const Vector mixture = rows.matrix.transpose() * y;
  Animal out = animal;
  out.family = "infeasible";
  out.name = animal.name + " twin";
  out.infeasible = true;
  const double more = 0.05 * (1 + std::abs(most));
  out.problem.subject_to(Matrix(mixture.transpose()), Vector::Constant(1, most + more),
                         Vector::Constant(1, infinity), {"impossible"});
  return out;
}

std::vector<Animal> all(const std::filesystem::path& data) {
  std::vector<Animal> out;
  const auto add = [&](std::vector<Animal> family) {
    for (std::size_t k = 0; k < family.size(); ++k) family[k].reported = k % 2 == 1;
    out.insert(out.end(), family.begin(), family.end());
  };
  add(quadratics());
  add(networks());
  add(netlib(data, 0));
  add(netlib(data, 1));
  add(maros_meszaros(data));
  add(linear_models(data));
  std::vector<Animal> twins;
  for (std::size_t k = 0; k < out.size() && twins.size() < 12; k += 5)
    if (out[k].algorithm == "smoothed" && out[k].problem.rows().count() > 1)
      twins.push_back(infeasible_twin(out[k], 900 + k));
  add(std::move(twins));
  return out;
}

}  // namespace bridle::zoo
