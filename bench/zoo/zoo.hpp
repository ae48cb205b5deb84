// The zoo: problems in families, generated from seeds or read from files, for parameters that nobody tuned.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bridle/problem/problem.hpp"

namespace bridle::zoo {

struct Animal {
  std::string family, name;
  Problem problem;
  std::string algorithm = "smoothed";
  bool infeasible = false;
  bool reported = false;  // the rule is developed on one half and reported on the other
};

// Everything whose data is there; `data` is the folder shared/data, and what is missing in it is left out.
std::vector<Animal> all(const std::filesystem::path& data);

// The families. Each decides by the position in it, not by its difficulty, which half a problem is in.
std::vector<Animal> quadratics();
std::vector<Animal> networks();  // flow, consensus, rows seen through draws
std::vector<Animal> netlib(const std::filesystem::path& data, double noise);
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
