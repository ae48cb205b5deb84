#include "bench/zoo/zoo.hpp"

#include <cmath>

#include "bridle/core/random.hpp"

#include "bench/infeasible_twin.hpp"

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
    if (out[k].algorithm == "smoothed" && out[k].problem.rows().count() > 1) {
      Animal twin = out[k];
      twin.family = "infeasible";
      twin.name += " twin";
      twin.problem = infeasible_twin(out[k].problem, 900 + k);
      twin.infeasible = true;
      twins.push_back(std::move(twin));
    }
  add(std::move(twins));
  return out;
}

}  // namespace bridle::zoo
