// The zoo: problems in families, generated from seeds or read from files, for parameters that nobody tuned.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle::zoo {

// The rule is developed on one half of the problems and reported on the other. Generated ones are in both,
// from other seeds; files go by their place in the family, not by their difficulty.
enum class Half { developed, reported };

struct Animal {
  std::string family, name;
  Problem problem;  // as the bench judges it
  Half half = Half::developed;
  std::string algorithm = "smoothed";
  bool infeasible = false;
  bool samples_only = false;  // the solver sees sample gradients, neither f nor its mean gradient
  double smoothness = 1;      // L_f where the objective does not tell it, for the theory's parameters

  Problem as_the_solver_sees_it() const;
};

// Everything whose data is there; `data` is the folder shared/data, and what is missing in it is left out.
std::vector<Animal> all(const std::filesystem::path& data);

enum class Knowledge { no_noise, mean, samples_only };
std::vector<Animal> quadratics(Half half);
std::vector<Animal> networks(Half half);  // flow, consensus, rows seen through draws
std::vector<Animal> between(Half half);   // neither clearly stiff nor clearly noisy
std::vector<Animal> netlib(const std::filesystem::path& data, Knowledge knowledge, Half half);
std::vector<Animal> maros_meszaros(const std::filesystem::path& data);
std::vector<Animal> linear_models(const std::filesystem::path& data);

// f(x) = c'x + sum_j w_j log(1 + (x_j - a_j)^2), with additive gradient noise.
struct Valleys {
  Vector cost, weight, centre;
  double noise = 0;

  Index dimension() const { return cost.size(); }
  Index sample_count() const { return noise > 0 ? endless : 1; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const;
  void mean_gradient(ConstVectorRef x, VectorRef out) const;
  double mean_value(ConstVectorRef x) const;
};

}  // namespace bridle::zoo
