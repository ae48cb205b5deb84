#include <fmt/format.h>

#include "bridle/apps/fair/berkeley.hpp"
#include "bridle/apps/fair/covariance.hpp"
#include "bridle/apps/statement/encoding.hpp"
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
  double accuracy = 0, covariance = 0, men = 0, women = 0, men_score = 0, women_score = 0;
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
  out.men = selected[0] / counts[0];
  out.women = selected[1] / counts[1];
  out.men_score = scores[0] / counts[0];
  out.women_score = scores[1] / counts[1];
  return out;
}

int run(std::uint64_t seed) {
  const io::Table table = berkeley_table();
  const Encoding encoding = make_encoding(table, {{"sex", "admitted"}, false, true});
  Vector labels(table.rows), weights = Vector::Constant(encoding.width(), ridge);
  for (Index i = 0; i < table.rows; ++i)
    labels[i] = table.columns[2].codes[static_cast<std::size_t>(i)] == 0 ? 1 : -1;
  weights[encoding.width() - 1] = 0;  // the intercept goes free
  const LinearModel model(encode(encoding, table), labels, LogisticDifferenceLoss{}, weights, encoding.names);
  const auto attributes = sensitive_attributes(table, "sex");
  const Vector row = covariance_row(model.features(), attributes.front().values);

  Screen screen({stdout, ""});
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

  const Outcome a = evaluate(model, table, row, before.x), b = evaluate(model, table, row, after.x);
  fmt::print("\n{:<44} {:>14} {:>12}\n", "", "unconstrained", "with Bridle");
  const auto line = [](const char* name, double first, double second, const char* unit) {
    fmt::print("{:<44} {:>13.4f}{} {:>11.4f}{}\n", name, first, unit, second, unit);
  };
  line("covariance of the score with sex", a.covariance, b.covariance, " ");
  line("mean score, men", a.men_score, b.men_score, " ");
  line("mean score, women", a.women_score, b.women_score, " ");
  line("men predicted to be admitted", 100 * a.men, 100 * b.men, "%");
  line("women predicted to be admitted", 100 * a.women, 100 * b.women, "%");
  line("accuracy", 100 * a.accuracy, 100 * b.accuracy, "%");
  line("loss", model.mean_loss(before.x), model.mean_loss(after.x), " ");
  if (after.y.size() > 0)
    fmt::print("\nThe price: loosening the bound by 0.001 would lower the loss by about {:.2e}.\n",
               0.001 * std::abs(after.y[0]));
  return exit_code(after.status);
}

}  // namespace

Action add_demo(CLI::App& app) {
  auto seed = std::make_shared<std::uint64_t>(1);
  auto* command = app.add_subcommand("demo", "Train a fair classifier on data built into the program");
  command->add_option("--seed", *seed, "Seed of every random number")->capture_default_str();
  return [seed] { return run(*seed); };
}

}  // namespace bridle::cli
