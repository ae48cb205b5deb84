// Problems on rows and data from files.
#include <fstream>

#include <fmt/format.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/random.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "bench/zoo/zoo.hpp"

namespace bridle::zoo {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> out;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == extension) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

// A problem file of its own for each linear model, written where the run may write.
Animal model(const std::string& name, const std::string& objective, const std::string& rest) {
  const fs::path file = fs::temp_directory_path() / fmt::format("bridle-zoo-{}.toml", name);
  std::ofstream(file) << "[objective]\nkind = \"linear-model\"\n" << objective << rest;
  Animal out{"linear model", name, read_problem(file.string()).problem};
  fs::remove(file);
  return out;
}

}  // namespace

std::vector<Animal> netlib(const fs::path& data, double noise) {
  std::vector<Animal> out;
  std::uint64_t seed = 300;
  for (const auto& file : files(data / "netlib", ".mps")) {
    const Problem lp = read_problem(file.string()).problem;
    const Index n = lp.dimension();
    Vector cost(n), weight(n), centre(n);
    lp.objective().mean_gradient(Vector::Zero(n), cost);
    if (const double largest = cost.lpNorm<Eigen::Infinity>(); largest > 0) cost /= largest;
    const Stream random(++seed, Purpose::generator);
    random.fill_normal(centre, 1);
    centre *= 10;
    for (Index j = 0; j < n; ++j) weight[j] = 0.5 + random.uniform(static_cast<std::uint64_t>(j), 2);
    Animal animal{noise > 0 ? "netlib, noise" : "netlib",
                  fmt::format("{} noise{}", file.stem().string(), noise),
                  Problem(Valleys{cost, weight, centre, noise})};
    animal.problem.within(lp.set());
    animal.problem.subject_to(lp.rows().matrix, lp.rows().lower, lp.rows().upper, lp.rows().names);
    out.push_back(std::move(animal));
  }
  return out;
}

std::vector<Animal> maros_meszaros(const fs::path& data) {
  std::vector<Animal> out;
  for (const auto& file : files(data / "maros-meszaros", ".QPS"))
    out.push_back({"maros-meszaros", file.stem().string(), read_problem(file.string()).problem});
  return out;
}

std::vector<Animal> linear_models(const fs::path& data) {
  std::vector<Animal> out;
  const auto a9a = data / "a9a" / "a9a.gz";
  if (!fs::exists(a9a)) return out;
  const std::string source = fmt::format("data = \"{}\"\n", fs::absolute(a9a).string());
  const auto rows = [](const std::string& text) {
    return "[constraints]\nlp = \"\"\"\nSubject To\n" + text + "End\"\"\"\n";
  };
  const std::string sign =
      "[variables]\nbounds = { \"x3\" = [0, inf], \"x4\" = [0, inf], \"x40\" = [-inf, 0] }\n";
  const std::string monotone = rows(" m1: x6 - x7 <= 0\n m2: x7 - x8 <= 0\n m3: x8 - x9 <= 0\n");
  const std::string budget = rows(" b: x1 + x2 + x3 + x4 + x5 <= 0.1\n c: x72 - x73 = 0\n");
  for (const std::string loss :
       {"logistic", "logistic-difference", "smoothed-01", "squared", "huber", "cauchy", "tukey"}) {
    const std::string objective = source + "loss = \"" + loss + "\"\nridge = 1e-4\n";
    out.push_back(model("a9a-" + loss + "-monotone", objective, monotone));
    if (loss == "logistic" || loss == "logistic-difference" || loss == "cauchy") {
      out.push_back(model("a9a-" + loss + "-sign", objective, sign + budget));
    }
  }
  return out;
}

}  // namespace bridle::zoo
