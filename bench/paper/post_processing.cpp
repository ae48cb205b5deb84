// Question 7: the post-processing step, before and after, as its batch grows.
#include "bridle/algorithms/post_processing.hpp"

#include "bench/paper/bench.hpp"
#include "bench/paper/statistics.hpp"

namespace bridle::paper {
namespace {

constexpr Index batches[] = {1, 10, 100, 1'000, 10'000, 100'000};
constexpr std::size_t batch_count = std::size(batches);

// The judge's absolute error at (x_t*, y_t*+1) and at (xhat, y_t*+1) for every batch, t* uniform.
Numbers run_once(double budget, std::uint64_t seed) {
  const Instance instance = make_instance({"", Region::box, RowKind::mixed, {.additive = 1}}, seed);
  const StandardForm form(instance.problem, literal_scaling());
  const Parameters p = practical(0.1 * std::pow(budget / 1e3, -0.5));
  const auto steps = static_cast<std::uint64_t>(budget);
  Run run(form, "smoothed", p, steps, seed);
  run.advance_to(1 + Stream(seed, Purpose::output_time).below(steps, 0));
  const Iterate& at = run.state();
  const double row_norm = instance.constants.row_norm;
  const double step = 1 / (1 + p.rho * row_norm * row_norm + p.mu);
  Numbers errors;
  for (const Index batch : batches) {
    const PostProcessed out = *post_process(form, at, p, step, batch, seed + 77);
    if (errors.empty()) errors.push_back(judge(form, at.x, out.y, false, true).error());
    errors.push_back(judge(form, out.x, out.y, false, true).error());
  }
  return errors;
}

}  // namespace

void measure_post_processing(const Bench& bench) {
  const std::size_t seeds = bench.quick ? 10 : 30;
  Numbers budgets = {1e3, 1e4, 1e5};
  if (!bench.quick) budgets.push_back(1e6);
  std::vector<std::vector<Numbers>> errors(budgets.size(), std::vector<Numbers>(seeds));
  in_parallel(budgets.size() * seeds, [&](std::size_t job) {
    const std::size_t k = budgets.size() - 1 - job / seeds;
    errors[k][job % seeds] = run_once(budgets[k], job % seeds);
  });
  TextFile csv(bench.data / "post_processing.csv");
  csv.line("evaluations,batch,median_error,lower_quartile,upper_quartile");
  TextFile table(bench.tables / "post_processing.md");
  std::string head = "| T | before |", rule = "| --- | --- |";
  for (const Index batch : batches) {
    head += fmt::format(" B = {} |", batch);
    rule += " --- |";
  }
  table.line("{} smallest B within 10% of the last column | 1/error^2 there |\n{} --- | --- |", head, rule);
  for (std::size_t k = 0; k < budgets.size(); ++k) {
    std::string line = fmt::format("| {:.0e} |", budgets[k]);
    Numbers medians;
    for (std::size_t b = 0; b <= batch_count; ++b) {
      Numbers values;
      for (const Numbers& run : errors[k]) values.push_back(run[b]);
      csv.line("{:.0f},{},{:.5e},{:.5e},{:.5e}", budgets[k], b ? batches[b - 1] : 0, median(values),
               quantile(values, 0.25), quantile(values, 0.75));
      line += fmt::format(" {:.2e} |", median(values));
      if (b > 0) medians.push_back(median(values));
    }
    const auto enough = std::find_if(medians.begin(), medians.end(),
                                     [&](double error) { return error <= 1.1 * medians.back(); });
    table.line("{} {} | {:.0f} |", line, batches[enough - medians.begin()], 1 / (*enough * *enough));
  }
  table.line("");
  table.line("Median over {} problems of the judge's absolute error with the method's own y_t*+1.", seeds);
}

}  // namespace bridle::paper
