#include <fmt/format.h>

#include "bridle/apps/fair/berkeley.hpp"
#include "bridle/apps/fair/fit.hpp"
#include "bridle/report/fair/fair_text.hpp"
#include "bridle/report/screen.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

constexpr double ridge = 1e-3;
constexpr double covariance_bound = 0.01;
constexpr double gap = 0.02;

void compare(const Fit& free, const Fit& covariance, const Fit& rates) {
  fmt::print("\n{:<36} {:>14} {:>16} {:>16}\n", "", "unconstrained",
             fmt::format("|cov| <= {}", covariance_bound), fmt::format("gap <= {}", gap));
  const auto line = [&](const char* name, const auto& of, int digits, const char* unit) {
    const auto figure = [&](const Fit& fit) { return fmt::format("{:.{}f}{}", of(fit), digits, unit); };
    fmt::print("{:<36} {:>14} {:>16} {:>16}\n", name, figure(free), figure(covariance), figure(rates));
  };
  const auto group = [](const Fit& fit, std::size_t g) { return fit.train.attributes.front().groups[g]; };
  line(
      "covariance of the score with sex", [](const Fit& f) { return f.rows.front().train; }, 4, "");
  line(
      "mean score, men", [&](const Fit& f) { return group(f, 0).mean_score; }, 4, "");
  line(
      "mean score, women", [&](const Fit& f) { return group(f, 1).mean_score; }, 4, "");
  line(
      "men predicted to be admitted", [&](const Fit& f) { return 100 * group(f, 0).selection_rate; }, 1, "%");
  line(
      "women predicted to be admitted", [&](const Fit& f) { return 100 * group(f, 1).selection_rate; }, 1,
      "%");
  line(
      "gap", [](const Fit& f) { return 100 * f.train.attributes.front().parity_difference; }, 1, "%");
  line(
      "accuracy", [](const Fit& f) { return 100 * f.train.accuracy; }, 1, "%");
  line(
      "loss", [](const Fit& f) { return f.train.loss; }, 4, "");
}

int run(std::uint64_t seed) {
  DataStatement data;
  data.target = "admitted";
  data.positive = "yes";
  data.sensitive = {"sex"};
  FairStatement statement;
  statement.ridge = ridge;
  const FairProblem problem(training_from(berkeley_table(), data), data, statement);

  Screen screen({.stream = stdout});
  Screen::catch_interrupts();
  screen.banner();
  fmt::print(
      "The 1973 Berkeley admissions: 4,526 applicants to six departments, and a mark for each of them, which "
      "is\n"
      "MADE UP: departments alone tell few applicants apart. A classifier learns who is admitted from "
      "department\n"
      "and mark. Women applied more to the departments that admit few, so it leans towards men.\n"
      "Bridle trains it again, first with |covariance(score, sex)| <= {}, then with the shares of men and "
      "women\n"
      "that are admitted within {} of each other.\n\n",
      covariance_bound, gap);

  const SolveOptions options{.epochs = 300, .seed = seed};
  const Fit free = fit(problem, nullptr, {}, options);
  const Vector bound = Vector::Constant(1, covariance_bound);
  screen.problem(problem.with_bounds(bound), "logistic-difference loss (nonconvex), 4526 samples, 8 columns",
                 {}, 0);
  const Fit covariance = fit(problem, nullptr, bound, options, &screen);
  screen.verdict(covariance.result);
  RateStatement request;
  request.gap = gap;
  const Fit rates = fit_to_rates(problem, nullptr, request, options);
  compare(free, covariance, rates);
  const auto parts = [](const Fit& f) { return 100 * f.train.attributes.front().parity_difference; };
  fmt::print(
      "\nThe covariance bound brings the mean scores of men and women together. It promises nothing of "
      "decisions;\n"
      "here their gap went from {:.1f} to {:.1f} points. The bound on the gap is on decisions, {} in "
      "counted\n"
      "people: {:.1f} points.\n",
      parts(free), parts(covariance), rates.rates->reached ? "and holds" : "but was NOT reached",
      parts(rates));
  fmt::print("The price of it: accuracy {:.1f}% where it was {:.1f}%.\n", 100 * rates.train.accuracy,
             100 * free.train.accuracy);
  if (covariance.rows.front().price() > 0)
    fmt::print(
        "The price of the covariance bound: loosening it by 0.001 would lower the objective by about "
        "{:.1e}.\n",
        0.001 * covariance.rows.front().price());
  fmt::print("\n{}", warnings_text(rates));
  return rates.rates->reached ? exit_code(covariance.result.status) : exit_not_certified;
}

}  // namespace

Action add_demo(CLI::App& app) {
  auto seed = std::make_shared<std::uint64_t>(1);
  auto* command = app.add_subcommand("demo", "Train a fair classifier on data built into the program");
  command->add_option("--seed", *seed, "Seed of every random number")
      ->check(whole())
      ->type_name("S")
      ->capture_default_str();
  return [seed] { return run(*seed); };
}

}  // namespace bridle::cli
