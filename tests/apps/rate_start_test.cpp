#include "bridle/apps/fair/rate_start.hpp"

#include <gtest/gtest.h>

#include "bridle/run/solve.hpp"

#include "tests/apps/people.hpp"
#include "tests/io/files.hpp"

namespace bridle {
namespace {

using testing::people_csv;
using testing::write_file;

FairProblem people(const Loss& loss) {
  DataStatement data;
  data.target = "income";
  data.positive = "high";
  data.sensitive = {"sex", "race"};
  FairStatement statement;
  statement.loss = loss;
  return {read_training(write_file("people.csv", people_csv(1200)), data), data, statement};
}

// Rates of the cells at the first of the starts, and of the model without bounds.
struct Rates {
  Vector start, free;
  std::vector<Cell> cells;
};
Rates rates_at_first_start(const FairProblem& problem, Measure measure, double gap) {
  const Cells cells(problem.training().data, measure);
  const auto rows = gap_rows(cells, gap);
  Telling silent(nullptr, problem, 1);
  const RateSetting setting{problem, cells, rows, StepPlan::of(problem, 1e-4), {}, [] { return false; },
                            silent};
  const auto rates = [&](const Vector& w) {
    return rates_of(cells, cells.selected(problem.scorer().scores(w)));
  };
  Rates out{rates(rate_start(setting, 0).steps.x()), rates(solve(problem.without_bounds()).x), {}};
  for (std::size_t c = 0; c < cells.size(); ++c) out.cells.push_back(cells[c]);
  return out;
}

TEST(RateStart, TheFirstHasEvenRatesAndSelectsAsManyAsTheModelWithoutBounds) {
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(LogisticDifferenceLoss{})})
    for (const Measure measure : {Measure::demographic_parity, Measure::equalised_odds}) {
      const FairProblem problem = people(loss);
      const Rates rates = rates_at_first_start(problem, measure, 0.1);
      for (const int label : {0, 1, -1})
        for (const std::size_t attribute : {0, 1}) {
          double least = 1, most = 0, free_least = 1, free_most = 0;
          for (std::size_t c = 0; c < rates.cells.size(); ++c) {
            if (rates.cells[c].label != label || rates.cells[c].attribute != attribute) continue;
            const auto at = static_cast<Index>(c);
            least = std::min(least, rates.start[at]), most = std::max(most, rates.start[at]);
            free_least = std::min(free_least, rates.free[at]),
            free_most = std::max(free_most, rates.free[at]);
          }
          if (least > most) continue;  // a label that the measure does not know
          EXPECT_LT(most - least, 0.1) << label << " " << attribute;
          EXPECT_GT(least, free_least - 0.1);
          EXPECT_LT(most, free_most + 0.1);
        }
    }
}

}  // namespace
}  // namespace bridle
