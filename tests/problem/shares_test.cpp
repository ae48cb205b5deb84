// Linear models whose rows lie with the workers that have them as their shares: every answer is that of the
// whole model, with the same bits on any number of processes, and rows get to those that want them.
#include <numeric>

#include <gtest/gtest.h>

#include "bridle/core/sampling.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/linear_sums.hpp"
#include "bridle/problem/objectives/row_exchange.hpp"

#include "tests/properties.hpp"
#include "tests/support/thread_processes.hpp"

namespace bridle {
namespace {

constexpr Index rows = 20'011, columns = 29, shares = 5;

// Sparse rows of very different lengths, so that shares have different numbers of entries.
LinearModel whole_model(Loss loss, bool sparse) {
  Matrix data = test::random_matrix(rows, columns, 1);
  if (sparse)
    for (Index i = 0; i < rows; ++i) data.row(i).tail(columns - 1 - i * columns / rows).setZero();
  const Vector random = test::random_vector(rows, 2);
  const Vector labels =
      is_classification(loss) ? Vector((random.array() > 0).select(Vector::Ones(rows), -1.0)) : random;
  Features features = sparse ? Features(SparseRows(data.sparseView())) : Features(DenseRows<double>(data));
  return {std::move(features), labels, loss, test::random_vector(columns, 3).cwiseAbs()};
}

LinearModel shares_of(const LinearModel& whole, const Shares& workers) {
  const Index first = first_of_share(rows, workers.first(), workers.count),
              end = first_of_share(rows, workers.end(), workers.count);
  std::vector<Index> here(static_cast<std::size_t>(end - first));
  std::iota(here.begin(), here.end(), first);
  return whole.part(here).in_shares(workers, rows);
}

// All that a run asks a model for.
std::vector<Vector> answers_of(const LinearModel& model) {
  const Vector at = 0.1 * test::random_vector(columns, 4);
  const std::vector<Sample> batch = {7, 0, 19'000, 12'345, 7};
  const std::vector<Index> some = {3, 20'010, 4, 9'000};
  std::vector<Vector> out;
  Vector one(columns);
  const auto keep = [&](const Vector& figures) { out.push_back(figures); };
  model.batch_gradient(at, batch, one);
  keep(one);
  model.gradient(at, 20'010, one);
  keep(one);
  model.outer_products(some, at, one);
  keep(one);
  model.mean_gradient(at, one);
  keep(one);
  keep(Vector::Constant(1, model.value_and_gradient(at, one)));
  keep(one);
  const ColumnStatistics& statistics = model.column_statistics();
  for (const Vector* figures : {&statistics.frequency, &statistics.magnitude, &statistics.mean,
                                &statistics.least, &statistics.largest})
    keep(*figures);
  keep(model.curvature_diagonal());
  const LinearSums sums(model);
  Vector t, change, slopes, bends;
  sums.outputs(at, t);
  sums.outputs(one, change);
  sums.derivatives(t, slopes, bends);
  keep(Vector{{model.batch_value(at, batch), model.batch_value(at, std::vector<Sample>{20'010}),
               model.mean_squared_smoothness(), model.mean_value(at), model.mean_loss(at),
               model.constant_loss(), *model.smoothness(), model.mean_squared_norm(at), model.entries(),
               sums.mean_loss(t), sums.mean_loss(t, change, 0.3), sums.mean_product(slopes, change)}});
  sums.mean_row(slopes, one);
  keep(one);
  for (const Index stride : {1, 3}) {
    const auto part_for = [&](LinearSums::Kind kind) {
      return stride == 1 ? sums : sums.sample(stride, 2, kind);
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
  return out;
}

TEST(Shares, AnswersAreThoseOfTheWholeWithTheSameBitsOnAnyProcesses) {
  for (const Loss& loss : {Loss(LogisticDifferenceLoss{}), Loss(SquaredLoss{})})
    for (const bool sparse : {true, false}) {
      const LinearModel whole = whole_model(loss, sparse);
      const auto expected = answers_of(whole);
      const auto alone = answers_of(shares_of(whole, {.count = shares}));
      ASSERT_EQ(alone.size(), expected.size());
      for (std::size_t k = 0; k < alone.size(); ++k)
        test::expect_near(alone[k], expected[k], 1e-12 * (1 + expected[k].lpNorm<Eigen::Infinity>()));
      for (const Index count : {2, 3, 5})
        test::in_processes(count, [&](const std::shared_ptr<const Processes>& among) {
          const LinearModel model = shares_of(whole, {shares, among});
          EXPECT_EQ(model.sample_count(), rows);
          EXPECT_LT(model.features().rows(), rows);
          EXPECT_TRUE(model.spread_over_processes());
          const auto together = answers_of(model);
          for (std::size_t k = 0; k < alone.size(); ++k)
            EXPECT_EQ(together[k], alone[k]) << "answer " << k << " in " << count;
        });
    }
}

TEST(Shares, ThreadsChangeNoBit) {
  const LinearModel model = shares_of(whole_model(LogisticDifferenceLoss{}, true), {.count = shares});
  const auto alone = answers_of(model);
  use_threads(4);
  const auto by_threads =
      answers_of(shares_of(whole_model(LogisticDifferenceLoss{}, true), {.count = shares}));
  use_threads(1);
  for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_EQ(by_threads[k], alone[k]) << k;
}

TEST(Shares, AWorkersShareIsAnOrdinaryModel) {
  const LinearModel whole = whole_model(LogisticDifferenceLoss{}, true);
  test::in_processes(2, [&](const std::shared_ptr<const Processes>& among) {
    const Shares workers{shares, among};
    const LinearModel model = shares_of(whole, workers);
    for (Index worker = workers.first(); worker < workers.end(); ++worker) {
      const Index first = first_of_share(rows, worker, shares),
                  count = first_of_share(rows, worker + 1, shares) - first;
      const LinearModel own = model.share(first, count), expected = whole.share(first, count);
      EXPECT_FALSE(own.spread_over_processes());
      EXPECT_EQ(own.sample_count(), count);
      const Vector at = test::random_vector(columns, 5);
      Vector one(columns), other(columns);
      own.gradient(at, 17, one);
      expected.gradient(at, 17, other);
      EXPECT_EQ(one, other);
    }
  });
}

TEST(Shares, OtherLossesAndFeaturesStayInTheirShares) {
  const LinearModel whole = whole_model(LogisticDifferenceLoss{}, false);
  const Matrix doubled = 2 * std::get<DenseView<double>>(whole.features().storage()).matrix();
  const auto alone = whole.with_features(DenseRows<double>(doubled)).with_loss(LogisticLoss{});
  const Vector at = 0.1 * test::random_vector(columns, 4);
  test::in_processes(3, [&](const std::shared_ptr<const Processes>& among) {
    const LinearModel model = shares_of(whole, {shares, among});
    const Matrix twice = 2 * std::get<DenseView<double>>(model.features().storage()).matrix();
    const LinearModel changed = model.with_features(DenseRows<double>(twice)).with_loss(LogisticLoss{});
    Vector one(columns), expected(columns);
    changed.mean_gradient(at, one);
    alone.mean_gradient(at, expected);
    test::expect_near(one, expected, 1e-13);
  });
}

// A few rows over three processes, unevenly: 1, 7 and 2; wanted are 4, 1 and 5.
class RowExchange : public testing::TestWithParam<bool> {};

TEST_P(RowExchange, RowsGetToThoseThatWantThem) {
  constexpr Index total = 10, n = 4;
  const std::vector<Index> brought = {0, 1, 8, 10}, wanted = {0, 4, 5, 10};
  const Matrix data = test::random_sparse(total, n, 0.5, 8);
  const Vector labels = test::random_vector(total, 9);
  const KeyedPermutation shuffled(total, 3);
  const auto row = [&](Index k) {
    return GetParam() ? static_cast<Index>(shuffled(static_cast<std::uint64_t>(k))) : k;
  };
  const Features kinds[] = {SparseRows(data.sparseView()), DenseRows<double>(data),
                            DenseRows<float>(data.cast<float>())};
  for (const Features& kind : kinds)
    test::in_processes(3, [&](const std::shared_ptr<const Processes>& among) {
      const auto me = static_cast<std::size_t>(among->number());
      const Index first = brought[me], count = brought[me + 1] - first;
      std::vector<Index> wishes;
      for (Index k = wanted[me]; k < wanted[me + 1]; ++k) wishes.push_back(row(k));
      const LabelledRows got =
          exchanged({kind.rows_from(first, count), labels.segment(first, count)}, first, wishes, *among);
      ASSERT_EQ(got.features.rows(), wanted[me + 1] - wanted[me]);
      EXPECT_EQ(got.features.storage().index(), kind.storage().index());
      for (Index k = 0; k < got.features.rows(); ++k) {
        const Index source = wishes[static_cast<std::size_t>(k)];
        EXPECT_EQ(got.labels[k], labels[source]);
        for (Index j = 0; j < n; ++j)
          EXPECT_EQ(got.features.dot(k, Vector::Unit(n, j)), kind.dot(source, Vector::Unit(n, j)));
      }
    });
}

INSTANTIATE_TEST_SUITE_P(InOrderAndShuffled, RowExchange, testing::Bool());

}  // namespace
}  // namespace bridle
