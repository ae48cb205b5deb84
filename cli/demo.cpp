#include <fmt/format.h>

#include "bridle/apps/data/covariance.hpp"
#include "bridle/apps/data/encoding.hpp"
#include "bridle/apps/data/target.hpp"
#include "bridle/apps/fair/berkeley.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/run/solve.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

constexpr double ridge = 1e-3;
constexpr double covariance_bound = 0.01;

// What a person would look at: who is predicted to be admitted, and how the score leans.
struct Outcome {
  double accuracy = 0, loss = 0, covariance = 0, men = 0, women = 0, men_score = 0, women_score = 0;
};

Outcome evaluate(const LinearModel& model, const io::Table& table, const Vector& row, const Vector& x) {
  Outcome out;
  double counts[2] = {0, 0}, selected[2] = {0, 0}, scores[2] = {0, 0};
  for (Index i = 0; i < table.rows; ++i) {
    const auto group = static_cast<std::size_t>(table.columns[1].codes[static_cast<std::size_t>(i)]);
    const double score = model.features().dot(i, x);
    counts[group] += 1;
    scores[group] += score;
    selected[group] += score > 0;
    out.accuracy += (score > 0) == (model.labels()[i] > 0);
  }
  out.accuracy /= static_cast<double>(table.rows);
  out.covariance = row.dot(x);
  out.loss = model.mean_loss(x);
  out.men = selected[0] / counts[0];
  out.women = selected[1] / counts[1];
  out.men_score = scores[0] / counts[0];
  out.women_score = scores[1] / counts[1];
  return out;
}

void compare(const Outcome& a, const Outcome& b) {
  fmt::print("\n{:<36} {:>14} {:>14}\n", "", "unconstrained", "with the bound");
  const auto line = [](const char* name, double first, double second, int digits, const char* unit) {
    const auto figure = [&](double v) { return fmt::format("{:.{}f}{}", v, digits, unit); };
    fmt::print("{:<36} {:>14} {:>14}\n", name, figure(first), figure(second));
  };
  line("covariance of the score with sex", a.covariance, b.covariance, 4, "");
  line("mean score, men", a.men_score, b.men_score, 4, "");
  line("mean score, women", a.women_score, b.women_score, 4, "");
  line("men predicted to be admitted", 100 * a.men, 100 * b.men, 1, "%");
  line("women predicted to be admitted", 100 * a.women, 100 * b.women, 1, "%");
  line("accuracy", 100 * a.accuracy, 100 * b.accuracy, 1, "%");
  line("loss", a.loss, b.loss, 4, "");
  fmt::print(
      "\nThe mean scores of men and women lay {:.2f} apart and now lie {:.2f} apart. The bound is on the "
      "scores; how "
      "many\n"
      "of each group lie above the threshold 0 is another matter, and still differs.\n",
      std::abs(a.men_score - a.women_score), std::abs(b.men_score - b.women_score));
}

int run(std::uint64_t seed) {
  const io::Table table = berkeley_table();
  const Encoding encoding = make_encoding(table, {.exclude = {"sex", "admitted"}});
  const Vector labels = labels_of(table, find_target(table, "admitted", {.text = "yes"}));
  const LinearModel model(encode(encoding, table), labels, LogisticDifferenceLoss{},
                          ridge_weights(ridge, encoding.names), encoding.names);
  const auto attributes = sensitive_attributes(table, "sex");
  const Vector row = covariance_row(model.features(), covariance_coefficients(attributes.front().values));

  Screen screen({.stream = stdout});
  Screen::catch_interrupts();
  screen.banner();
  fmt::print(
      "The 1973 Berkeley admissions: 4,526 applicants to six departments. A classifier learns who is "
      "admitted from the\n"
      "department alone. Women applied more to the departments that admit few, so its score leans towards "
      "men.\n"
      "Bridle trains it again with |covariance(score, sex)| <= {}.\n\n",
      covariance_bound);

  const SolveOptions options{.epochs = 300, .seed = seed};
  const Problem free{model};
  Problem fair{model};
  bound_covariance(fair, model.features(), attributes, covariance_bound);
  const Result before = solve(free, options);
  screen.problem(fair, "logistic-difference loss (nonconvex), 4526 samples, 7 columns", {}, 0);
  const Result after = solve(fair, options, &screen);
  screen.verdict(after);
  compare(evaluate(model, table, row, before.x), evaluate(model, table, row, after.x));
  if (after.y.size() > 0)
    fmt::print("The price: loosening the bound by 0.001 would lower the objective by about {:.1e}.\n",
               0.001 * std::abs(after.y[0]));
  return exit_code(after.status);
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
