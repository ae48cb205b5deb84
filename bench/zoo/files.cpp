// Problems on rows and data from files.
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/random.hpp"
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
  const fs::path file = fs::temp_directory_path() /
                        fmt::format("bridle-zoo-{}-{:x}.toml", ::getpid(), std::hash<std::string>()(name));
  std::ofstream(file) << "[objective]\nkind = \"linear-model\"\n" << objective << rest;
  Animal out{"linear model", name, read_problem(file.string()).problem};
  fs::remove(file);
  return out;
}

Half by_place(const std::vector<Animal>& before) {
  return before.size() % 2 == 0 ? Half::developed : Half::reported;
}

}  // namespace

std::vector<Animal> netlib(const fs::path& data, Knowledge knowledge, Half half) {
  const double noise = knowledge == Knowledge::no_noise ? 0 : 1;
  const char* family = knowledge == Knowledge::no_noise ? "netlib"
                       : knowledge == Knowledge::mean   ? "netlib noise"
                                                        : "netlib samples only";
  std::vector<Animal> out;
  std::uint64_t seed = half == Half::developed ? 300 : 4300;
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
    Animal animal{
        family,
        fmt::format("{} noise{} {}", file.stem().string(), noise, half == Half::developed ? 'a' : 'b'),
        Problem(Valleys{cost, weight, centre, noise}), half};
    animal.smoothness = 2 * weight.maxCoeff();
    animal.samples_only = knowledge == Knowledge::samples_only;
    animal.problem.within(lp.set());
    animal.problem.subject_to(lp.rows().matrix, lp.rows().lower, lp.rows().upper, lp.rows().names);
    out.push_back(std::move(animal));
  }
  return out;
}

std::vector<Animal> maros_meszaros(const fs::path& data) {
  std::vector<Animal> out;
  for (const auto& file : files(data / "maros-meszaros", ".QPS"))
    out.push_back(
        {"maros-meszaros", file.stem().string(), read_problem(file.string()).problem, by_place(out)});
  return out;
}

// Every loss, with signs, budgets, monotone weights and covariances, on columns that are standardised or raw.
std::vector<Animal> linear_models(const fs::path& data) {
  std::vector<Animal> out;
  const auto add = [&](const std::string& name, const std::string& objective, const std::string& rest) {
    Animal animal = model(name, objective, rest);
    animal.half = by_place(out);
    out.push_back(std::move(animal));
  };
  const auto rows = [](const std::string& text) {
    return "[constraints]\nlp = \"\"\"\nSubject To\n" + text + "End\"\"\"\n";
  };
  const auto source = [](const fs::path& file) {
    return fmt::format("data = \"{}\"\n", fs::absolute(file).string());
  };
  const auto loss = [](const char* name) { return fmt::format("loss = \"{}\"\nridge = 1e-4\n", name); };

  if (const auto file = data / "a9a" / "a9a.gz"; fs::exists(file)) {
    const std::string sign =
        "[variables]\nbounds = { \"x3\" = [0, inf], \"x4\" = [0, inf], \"x40\" = [-inf, 0] }\n";
    const std::string monotone = rows(" m1: x6 - x7 <= 0\n m2: x7 - x8 <= 0\n m3: x8 - x9 <= 0\n");
    const std::string budget = rows(" b: x1 + x2 + x3 + x4 + x5 <= 0.1\n c: x72 - x73 = 0\n");
    for (const char* name :
         {"logistic", "logistic-difference", "smoothed-01", "squared", "huber", "cauchy", "tukey"})
      add(fmt::format("a9a {} monotone", name), source(file) + loss(name), monotone);
    for (const char* name : {"logistic", "logistic-difference", "cauchy"})
      add(fmt::format("a9a {} sign budget", name), source(file) + loss(name), sign + budget);
  }
  if (const auto file = data / "adult" / "adult.data.gz"; fs::exists(file)) {
    const std::string table =
        source(file) + R"(columns = ["age", "workclass", "fnlwgt", "education", "education-num",
  "marital-status", "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
  "native-country", "income"]
target = "income"
positive = ">50K"
)";
    const std::string fair = "[constraints]\ncovariance = { sex = 0.001 }\n";
    for (const char* name : {"logistic-difference", "logistic", "smoothed-01"}) {
      add(fmt::format("adult {} covariance", name), table + "standardise = true\n" + loss(name), fair);
      add(fmt::format("adult {} covariance raw", name), table + loss(name), fair);
    }
    add("adult logistic budget raw", table + loss("logistic"),
        rows(" b: age + education_num + hours_per_week <= 0.05\n"));
  }
  if (const auto file = data / "compas" / "compas-scores-two-years.csv.gz"; fs::exists(file)) {
    const std::string table = source(file) + R"(target = "two_year_recid"
ignore = ["decile_score", "score_text", "is_recid", "age_cat", "days_b_screening_arrest"]
)";
    const std::string fair = "[constraints]\ncovariance = { race = 0.001, sex = 0.001 }\n";
    for (const char* name : {"logistic-difference", "logistic"}) {
      add(fmt::format("compas {} covariance", name), table + "standardise = true\n" + loss(name), fair);
      add(fmt::format("compas {} covariance raw", name), table + loss(name), fair);
    }
  }
  return out;
}

}  // namespace bridle::zoo
