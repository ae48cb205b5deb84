// Objectives over several processes (here: threads that meet to add up): every answer is that of the whole
// objective, in all of them the same bits, and the work of a batch is shared.
#include "bridle/core/processes.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/linear_sums.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"
#include "tests/support/thread_processes.hpp"

namespace bridle {
namespace {

constexpr Index processes = 3, samples = 10, n = 6;

// What each of the processes answers.
std::vector<Vector> answers(const std::function<Vector(std::shared_ptr<const Processes>)>& ask) {
  std::vector<Vector> out(processes);
  test::in_processes(processes, [&](const std::shared_ptr<const Processes>& among) {
    out[static_cast<std::size_t>(among->number())] = ask(among);
  });
  return out;
}

void expect_all(const std::vector<Vector>& answers, const Vector& expected) {
  for (const Vector& answer : answers) {
    EXPECT_EQ(answer, answers.front()) << "the same bits in all processes";
    test::expect_near(answer, expected, 1e-14 * (1 + expected.norm()));
  }
}

LinearModel whole_model() {
  const Vector labels = (test::random_vector(samples, 2).array() > 0).select(Vector::Ones(samples), -1.0);
  return {DenseRows<double>(test::random_matrix(samples, n, 1)), labels, LogisticLoss{},
          test::random_vector(n, 3).cwiseAbs()};
}

// Ten rows over three processes: 3, 3 and 4.
LinearModel part_of(const LinearModel& whole, const std::shared_ptr<const Processes>& among) {
  const Index first = samples * among->number() / processes,
              last = samples * (among->number() + 1) / processes;
  std::vector<Index> rows;
  for (Index i = first; i < last; ++i) rows.push_back(i);
  return whole.part(rows).spread(first, samples, among);
}

const Vector x = test::random_vector(n, 4);
const std::vector<Sample> batch = {7, 0, 3, 9, 3};

TEST(Processes, AnswersOfASpreadModelAreThoseOfTheWhole) {
  const LinearModel whole = whole_model();
  const auto ask = [](const AnyObjective& objective) {
    Vector out(3 * n + 3), gradient(n);
    objective.gradient(x, 4, gradient);
    out.segment(0, n) = gradient;
    objective.batch_gradient(x, batch, gradient);
    out.segment(n, n) = gradient;
    objective.mean_gradient(x, gradient);
    out.segment(2 * n, n) = gradient;
    out.tail(3) << *objective.value(x, 4), *objective.batch_value(x, batch), *objective.mean_value(x);
    return out;
  };
  expect_all(answers([&](const auto& among) { return ask(part_of(whole, among)); }), ask(whole));
}

TEST(Processes, ABatchIsTheMeanOfItsSamples) {
  const AnyObjective model = whole_model();
  const AnyObjective quadratic = Quadratic(test::sparse(test::with_spectrum(Vector::LinSpaced(n, -1, 3), 5)),
                                           test::random_vector(n, 6), 0, {.additive = 1});
  for (const AnyObjective& objective : {model, quadratic}) {
    Vector sum = Vector::Zero(n), gradient(n);
    for (const Sample sample : batch) {
      objective.gradient(x, sample, gradient);
      sum += gradient;
    }
    objective.batch_gradient(x, batch, gradient);
    test::expect_near(gradient, sum / static_cast<double>(batch.size()), 1e-14);
    EXPECT_FALSE(objective.spread_over_processes());
  }
}

// Counts how often it is evaluated.
struct Counting {
  std::shared_ptr<int> count = std::make_shared<int>(0);
  Index dimension() const { return n; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef at, Sample sample, VectorRef out) const {
    ++*count;
    out = static_cast<double>(sample) * at;
  }
};

TEST(Processes, BatchesOfAnyObjectiveAreShared) {
  const double mean = (7 + 0 + 3 + 9 + 3) / 5.0;
  std::array<int, processes> evaluations = {};
  expect_all(answers([&](const auto& among) {
               const Counting counting;
               const AnyObjective shared = AnyObjective(counting).with_batches_over(among);
               EXPECT_TRUE(shared.spread_over_processes());
               EXPECT_FALSE(shared.thread_safe()) << "collectives are for one thread";
               Vector out(n);
               shared.batch_gradient(x, batch, out);
               evaluations[static_cast<std::size_t>(among->number())] = *counting.count;
               return out;
             }),
             mean * x);
  EXPECT_EQ(evaluations, (std::array{2, 2, 1}));
}

// Figures of all kinds of passes, as second-order steps ask for them.
std::vector<Vector> figures_of(const LinearModel& model, const Vector& at) {
  std::vector<Vector> out;
  const auto columns = model.dimension();
  const LinearSums sums(model);
  Vector t, change, slopes, bends, one(columns);
  const auto keep = [&](const Vector& figures) { out.push_back(figures); };
  model.mean_gradient(at, one);
  keep(one);
  const ColumnStatistics& statistics = model.column_statistics();
  for (const Vector* figures : {&statistics.frequency, &statistics.magnitude, &statistics.mean,
                                &statistics.least, &statistics.largest})
    keep(*figures);
  keep(model.curvature_diagonal());
  keep(Vector::Constant(1, model.value_and_gradient(at, one)));
  keep(one);
  sums.outputs(at, t);
  sums.outputs(one, change);
  sums.derivatives(t, slopes, bends);
  keep(Vector{{model.mean_value(at), model.mean_squared_norm(at), sums.mean_loss(t),
               sums.mean_loss(t, change, 0.3), sums.mean_product(slopes, change)}});
  for (const Index stride : {1, 3}) {
    const auto part_for = [&](LinearSums::Kind kind) {
      return stride == 1 ? sums : sums.sample(stride, 1, kind);
    };
    const LinearSums part = part_for(LinearSums::Kind::vectors);
    const Vector weights = stride == 1 ? bends : part.pick(bends);
    part.mean_square_product(weights, at, one);
    keep(one);
    part.mean_square_diagonal(weights, one);
    keep(one);
    Matrix square;
    part_for(LinearSums::Kind::squares).mean_square(weights, square);
    keep(square.reshaped());
  }
  sums.mean_row(slopes, one);
  keep(one);
  return out;
}

// The first: a Hessian has as many chunks as a gradient. The second: it has fewer. The third: few rows, so
// that losses alone would have fewer than a gradient.
TEST(Processes, SharedPassesHaveTheBitsOfOneProcess) {
  struct Size {
    Index rows, columns;
    double density;
  };
  for (const auto& [rows, columns, density] :
       {Size{20'000, 29, 1}, Size{60'000, 200, 0.04}, Size{300, 1'000, 1}}) {
    const Vector labels = (test::random_vector(rows, 2).array() > 0).select(Vector::Ones(rows), -1.0);
    const Matrix data =
        density < 1 ? test::random_sparse(rows, columns, density, 1) : test::random_matrix(rows, columns, 1);
    const Features features =
        density < 1 ? Features(SparseRows(data.sparseView())) : Features(DenseRows<double>(data));
    const LinearModel whole(features, labels, LogisticDifferenceLoss{});
    const Vector at = 0.1 * test::random_vector(columns, 4);
    const auto alone = figures_of(whole, at);
    for (const Index count : {2, 3, 7}) {
      test::in_processes(count, [&](const std::shared_ptr<const Processes>& among) {
        const auto together = figures_of(whole.with_passes_over(among), at);
        for (std::size_t k = 0; k < alone.size(); ++k)
          EXPECT_EQ(together[k], alone[k])
              << "figure " << k << " of " << rows << " x " << columns << " in " << count;
      });
    }
  }
}

}  // namespace
}  // namespace bridle
