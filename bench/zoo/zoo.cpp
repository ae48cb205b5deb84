#include "bench/zoo/zoo.hpp"

#include <cmath>
#include <iterator>

#include "bridle/core/random.hpp"

#include "tests/support/infeasible_twin.hpp"

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

namespace {

// Hides everything but the samples.
struct SamplesOnly {
  AnyObjective inner;

  Index dimension() const { return inner.dimension(); }
  Index sample_count() const { return inner.sample_count(); }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const { inner.gradient(x, sample, out); }
};

}  // namespace

Problem Animal::as_the_solver_sees_it() const {
  return samples_only ? problem.with_objective(SamplesOnly{problem.objective()}) : problem;
}

std::vector<Animal> all(const std::filesystem::path& data) {
  std::vector<Animal> out;
  const auto add = [&](std::vector<Animal> family) {
    out.insert(out.end(), std::make_move_iterator(family.begin()), std::make_move_iterator(family.end()));
  };
  for (const Half half : {Half::developed, Half::reported}) {
    add(quadratics(half));
    add(networks(half));
    add(between(half));
    for (const auto knowledge : {Knowledge::no_noise, Knowledge::mean, Knowledge::samples_only})
      add(netlib(data, knowledge, half));
  }
  add(maros_meszaros(data));
  add(linear_models(data));

  const std::size_t feasible = out.size();
  for (std::size_t k = 0, twins = 0; k < feasible && twins < 24; k += 5)
    if (out[k].algorithm == "smoothed" && out[k].problem.rows().count() > 1) {
      Animal twin = out[k];
      twin.family = "infeasible";
      twin.name += " twin";
      twin.problem = infeasible_twin(out[k].problem, 900 + k);
      twin.infeasible = true;
      out.push_back(std::move(twin));
      ++twins;
    }
  return out;
}

}  // namespace bridle::zoo
