#include "bench/speed/step_cost.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/core/large_array.hpp"
#include "bridle/params/automatic.hpp"
#include "bridle/problem/rows/data_rows.hpp"
#include "bridle/run/batch_choice.hpp"

#include "bench/speed/floor.hpp"
#include "bench/speed/problems.hpp"
#include "bench/speed/timing.hpp"

namespace bridle::bench {
namespace {

const AlgorithmDescription& smoothed() { return *find_algorithm("smoothed"); }

Iterate at_zero(const StandardForm& form) {
  Iterate out;
  out.x = out.z = Vector::Zero(form.dimension());
  out.y = Vector::Zero(form.rows());
  return out;
}

// The cheap iterate against the dense one, before anything is timed.
void check(const StandardForm& form, const Stage& stage, const Representation& cheaper,
           const MethodSettings& settings) {
  const std::uint64_t count = form.variables() > 100'000 ? 20 : 1000;
  const auto plain = smoothed().plain().create(form, stage, at_zero(form), settings);
  const auto cheap = cheaper.create(form, stage, at_zero(form), settings);
  plain->run(stage, 0, count);
  cheap->run(stage, 0, count);
  const Vector expected = plain->snapshot().x;
  const double error = (expected - cheap->snapshot().x).norm() / expected.norm();
  if (!(error < 1e-11)) throw std::runtime_error(fmt::format("the iterates differ by {}", error));
}

struct Cost {
  double floor, ours;  // ns a step
  std::string iterate;
  Index batch;  // samples of a step; costs are those of one sample
};

Cost measure(const Problem& problem, Index batch, int rounds) {
  const LinearModel& model = *problem.objective().as_linear_model();
  const Index rows = problem.rows().count();
  const auto samples = static_cast<std::uint64_t>(model.sample_count());
  const double budget = 1000 * static_cast<double>(samples);
  const MethodSettings settings{.batch = batch};
  const auto each = static_cast<double>(batch);
  AutomaticRule rule(problem, budget, {.gradients_per_iteration = each, .batch = each}, 1);
  OriginalState start;
  start.x = start.z = Vector::Zero(model.dimension());
  start.multipliers = start.slacks = start.smoothed_slacks = Vector::Zero(rows);
  const StagePlan plan = rule.next(start, {}, budget).value();
  const StandardForm form(problem, plan.scaling);
  const Stage& stage = plan.stage;
  const RepresentationChoice choice = smoothed().choose(form, stage, at_zero(form));
  check(form, stage, *choice.representation, settings);

  const auto method = choice.representation->create(form, stage, at_zero(form), settings);
  Sampler sampler(model.sample_count(), Sampling::reshuffled, 1);
  LargeArray<double> x(static_cast<std::size_t>(model.dimension()));
  std::vector<Sample> order(samples);
  std::vector<double> floor, ours;
  const std::uint64_t steps = samples / static_cast<std::uint64_t>(batch);
  for (int round = 0; round <= rounds; ++round) {  // the first warms up
    const std::uint64_t first = static_cast<std::uint64_t>(round) * samples;
    for (std::uint64_t t = 0; t < samples; ++t) order[t] = sampler(first + t);
    const double bare = seconds_of([&] { floor_epoch(model, order, 0.2, x.data()); });
    const double full =
        seconds_of([&] { method->run(stage, static_cast<std::uint64_t>(round) * steps, steps); });
    if (round == 0) continue;
    floor.push_back(1e9 * bare / static_cast<double>(samples));
    ours.push_back(1e9 * full / (each * static_cast<double>(steps)));
  }
  return {least(floor), least(ours), choice.why.substr(0, choice.why.find(' ')), batch};
}

void table(const std::vector<Size>& sizes, int rounds) {
  fmt::print("| data | n | nonzeros | m | floor, ns | Bridle, ns | ratio | iterate |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Size& size : sizes) {
    const LinearModel model = made_up_model(size);
    const Cost cost = measure(made_up_problem(model, size.rows), 1, rounds);
    fmt::print("| {} | {} | {} | {} | {:.0f} | {:.0f} | {:.2f} | {} |\n", name_of(size.storage),
               size.variables, size.nonzeros, size.rows, cost.floor, cost.ours, cost.ours / cost.floor,
               cost.iterate.empty() ? "dense" : cost.iterate);
    std::fflush(stdout);
  }
}

}  // namespace

void one_step_cost(const Size& size, int rounds) {
  const Cost cost = measure(made_up_problem(made_up_model(size), size.rows), 1, rounds);
  fmt::print("{} {}\n", cost.floor, cost.ours);
}

BareStep bare_step_cost(const Problem& problem, Index batch, int rounds) {
  if (batch == 0) batch = batch_for(problem, SolveOptions{}, smoothed()).samples;
  const Cost cost = measure(problem, batch, rounds);
  return {cost.ours, cost.iterate.empty() ? "dense" : cost.iterate, cost.batch};
}

// Algorithms 2 and 3, whose rows are means over the data or dense over the variables: the lazy iterate
// against the dense one.
void other_step_cost(int rounds) {
  fmt::print(
      "| algorithm | n | nonzeros | m | dense, ns | lazy, ns |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const Index n : {10'000, 1'000'000})
    for (const std::string_view name : {"safeguarded", "storm"}) {
      const Size size{Storage::sparse, 50'000, n, 50, 2};
      const LinearModel model = made_up_model(size);
      Problem problem = made_up_problem(model, size.rows);
      if (name == "safeguarded") {
        problem = Problem(model);
        Matrix coefficients(size.samples, size.rows);
        for (Index i = 0; i < size.samples; ++i)
          for (Index r = 0; r < size.rows; ++r) coefficients(i, r) = (i + r) % 2 == 0 ? 1 : -1;
        problem.subject_to_expected(
            DataRows(std::make_shared<const Features>(model.features()), coefficients),
            Vector::Constant(size.rows, -0.001), Vector::Constant(size.rows, 0.001));
      }
      Scaling scaling;
      if (name == "safeguarded") scaling.metric = MetricKind::diagonal;
      const StandardForm form(problem, scaling);
      const double step =
          name == "storm" ? 0.1 : 1e-7;  // single samples of these rows are far from their means
      const Stage stage{
          {.tau = step, .eta = step, .beta = step, .mu = 1, .rho = 1, .alpha = 0.1}, {}, 1'000'000};
      const AlgorithmDescription& algorithm = *find_algorithm(name);
      const RepresentationChoice choice = algorithm.choose(form, stage, at_zero(form));
      if (choice.representation->name != "lazy") throw std::runtime_error(choice.why);
      const auto plain = algorithm.plain().create(form, stage, at_zero(form), {});
      const auto lazy = choice.representation->create(form, stage, at_zero(form), {});
      const std::uint64_t few = 10'000'000 / static_cast<std::uint64_t>(n), many = 100'000;
      plain->run(stage, 0, few);
      lazy->run(stage, 0, few);
      const Vector expected = plain->snapshot().x;
      const double error = (expected - lazy->snapshot().x).norm() / expected.norm();
      if (!(error < 1e-11)) throw std::runtime_error(fmt::format("the iterates differ by {}", error));
      std::vector<double> slow, quick;
      for (int round = 1; round <= rounds; ++round) {
        slow.push_back(1e9 * seconds_of([&] { plain->run(stage, few, few); }) / static_cast<double>(few));
        quick.push_back(1e9 * seconds_of([&] { lazy->run(stage, few, many); }) / static_cast<double>(many));
      }
      fmt::print("| {} | {} | {} | {} | {:.0f} | {:.0f} |\n", name, n, size.nonzeros, size.rows, least(slow),
                 least(quick));
      std::fflush(stdout);
    }
}

void step_cost(int rounds) {
  std::vector<Size> dense, sparse;
  for (const Index n : {20, 100, 1000})
    for (const Storage storage : {Storage::dense, Storage::dense_float})
      for (const Index m : {1, 2, 10})
        dense.push_back({storage, std::min<Index>(50'000, 5'000'000 / n), n, n, m});
  for (const Index n : {10'000, 1'000'000, 10'000'000})
    for (const Index nonzeros : {15, 50, 200})
      for (const Index m : {1, 2, 10})
        if (m == 1 || nonzeros == 50) sparse.push_back({Storage::sparse, 50'000, n, nonzeros, m});
  table(dense, rounds);
  fmt::print("\n");
  table(sparse, rounds);
}

}  // namespace bridle::bench
