// What every loop promises: no allocation, the same result for the same seed, and a state that can be taken
// up again.
#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/algorithms/workers.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "tests/allocations.hpp"
#include "tests/properties.hpp"
#include "tests/support/thread_processes.hpp"

namespace bridle {
namespace {

using test::random_vector;

constexpr Index n = 60;

AnyObjective quadratic() {
  return Quadratic(test::sparse(test::with_spectrum(Vector::LinSpaced(n, -1, 3), 1)), random_vector(n, 2), 0,
                   {.additive = 1, .multiplicative = 0.1});
}
template <class Data>
AnyObjective linear_model() {
  const Matrix data = test::random_sparse(100, n, 0.2, 3);
  const Vector labels = (random_vector(100, 4).array() > 0).select(Vector::Ones(100), -1.0);
  if constexpr (std::is_same_v<Data, SparseRows>)
    return LinearModel(SparseRows(data.sparseView()), labels, LogisticLoss{}, Vector::Constant(n, 0.01));
  else
    return LinearModel(Data(data.cast<typename Data::Scalar>()), labels, LogisticLoss{});
}

// What the lazy iterate is for.
AnyObjective sparse_model_without_ridge() {
  return LinearModel(SparseRows(test::random_sparse(100, n, 0.2, 3).sparseView()),
                     (random_vector(100, 4).array() > 0).select(Vector::Ones(100), -1.0), LogisticLoss{});
}

struct Case {
  std::string name;
  AnyObjective objective;
  AnySet set;
};

std::vector<Case> cases() {
  const Box box(Vector::Constant(n, -1), Vector::Constant(n, 1));
  const Product product(n, {{{5, 3, 40, 41}, Simplex(4)}, {index_range(10, 20), L1Ball(20, 3)}});
  return {{"quadratic_box", quadratic(), box},
          {"quadratic_simplex", quadratic(), Simplex(n, 5)},
          {"quadratic_product", quadratic(), product},
          {"dense_model_box", linear_model<DenseRows<double>>(), box},
          {"float_model_simplex", linear_model<DenseRows<float>>(), Simplex(n, 5)},
          {"sparse_model_box", linear_model<SparseRows>(), box},
          {"sparse_model_free", sparse_model_without_ridge(),
           Box(Vector::Constant(n, -infinity), Vector::Constant(n, infinity))}};
}

// 40 rows, every third an equality: the metric is a sparse factor.
Problem with_rows(const Case& c) {
  Problem problem(c.objective);
  problem.within(c.set);
  const Matrix rows = test::random_sparse(40, n, 0.1, 5);
  Vector x = Vector::Constant(n, 0.1);
  c.set.project(x);
  Vector lower = rows * x, upper = lower;
  for (Index i = 0; i < 40; ++i)
    if (i % 3 != 0) lower[i] -= 0.5, upper[i] += 0.1;
  problem.subject_to(rows, lower, upper);
  return problem;
}

constexpr Parameters steps{.tau = 0.01, .eta = 0.5, .beta = 0.1, .mu = 2, .rho = 5, .alpha = 0.3};

struct LoopCase {
  const AlgorithmDescription* algorithm;
  Case problem;
};

std::vector<LoopCase> loop_cases() {
  std::vector<LoopCase> out;
  for (const auto& algorithm : all_algorithms())
    for (const auto& c : cases()) out.push_back({&algorithm, c});
  return out;
}

class LoopTest : public testing::TestWithParam<LoopCase> {
 protected:
  const AlgorithmDescription& algorithm_ = *GetParam().algorithm;
  const Problem problem_ = with_rows(GetParam().problem);
  const StandardForm form_{problem_, scaling()};
  const Stage stage_{steps, {Decay::cosine}, 200};

  Scaling scaling() const {
    Scaling out;
    out.columns = random_vector(n, 6, 0.3).array().exp();
    if (algorithm_.samples_rows) out.metric = MetricKind::diagonal;
    return out;
  }
  Iterate start() const {
    const Vector x = problem_.starting_point();
    Iterate out;
    out.x = form_.to_standard(x, problem_.rows().matrix * x);
    form_.project(out.x);
    out.z = out.x;
    out.y = Vector::Zero(form_.rows());
    return out;
  }
  std::unique_ptr<Method> create(std::uint64_t seed) const { return create(seed, start()); }
  std::unique_ptr<Method> create(std::uint64_t seed, const Iterate& from) const {
    return algorithm_.create(form_, stage_, from, {.batch = 2, .seed = seed});
  }
};

INSTANTIATE_TEST_SUITE_P(Loops, LoopTest, testing::ValuesIn(loop_cases()), [](const auto& test) {
  std::string name = std::string(test.param.algorithm->name) + "_" + test.param.problem.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

void expect_same(const Iterate& a, const Iterate& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.estimate, b.estimate);
  EXPECT_EQ(a.draws, b.draws);
}

TEST_P(LoopTest, DoesNotAllocate) {
#ifndef BRIDLE_COUNTS_MALLOC
  GTEST_SKIP() << "another malloc is in use";
#else
  const long at_first = allocations;
  const Vector probe = Vector::Zero(100);
  ASSERT_GT(allocations, at_first) << "the counter does not count";
  ASSERT_TRUE(algorithm_.samples_rows || form_.metric().kind() == MetricKind::cholesky);
  ASSERT_GT(form_.rows(), RowMetric::dense_limit);
  const auto method = create(1);
  // Scratch that sets and draws keep is there after their first use.
  Vector far = random_vector(form_.dimension(), 7, 100);
  form_.project(far);
  method->run(stage_, 0, 20);
  const long before = allocations;
  method->run(stage_, 20, 100);
  EXPECT_EQ(allocations - before, 0);
  ASSERT_TRUE(method->snapshot().finite());
#endif
}

TEST_P(LoopTest, SameSeedSameIterates) {
  const auto one = create(1), again = create(1), other = create(2);
  for (const auto& method : {one.get(), again.get(), other.get()}) method->run(stage_, 0, 100);
  ASSERT_TRUE(one->snapshot().finite());
  expect_same(one->snapshot(), again->snapshot());
  if (algorithm_.gradients_per_iteration > 0) {  // rivals with full gradients draw nothing
    EXPECT_NE(one->snapshot().x, other->snapshot().x);
  }
}

// Once it has settled, a run and one that is taken up from what was written: the same bits.
TEST_P(LoopTest, CanBeTakenUpAgain) {
  for (const std::uint64_t at : {1, 37, 60, 101}) {
    const auto whole = create(3);
    whole->run(stage_, 0, at);
    Iterate saved;
    whole->settle(saved);
    const auto piece = create(3, saved);
    whole->run(stage_, at, 120 - at);
    piece->run(stage_, at, 120 - at);
    expect_same(whole->snapshot(), piece->snapshot());
  }
}

// A method that is given another state goes on as one that is made from it.
TEST_P(LoopTest, TakesUpAnotherState) {
  const auto other = create(4);
  other->run(stage_, 0, 40);
  Iterate state;
  other->settle(state);
  const auto made = create(3, state), given = create(3);
  given->run(stage_, 0, 25);
  given->take_up(state);
  for (Method* const method : {made.get(), given.get()}) method->run(stage_, 40, 60);
  expect_same(made->snapshot(), given->snapshot());
}

// Workers: the same bits on any number of threads and processes, whether they are looked at, taken up again
// or left alone.
TEST_P(LoopTest, WorkersAreExecutedByAnybody) {
  if (algorithm_.baseline) return;
  constexpr Index count = 5;
  const Iterate begin = start();
  const auto create_workers = [&](const Iterate& from, std::shared_ptr<const Processes> team = nullptr) {
    const RepresentationChoice choice = algorithm_.choose(form_, stage_, from);
    Iterate rounds = from;
    if (rounds.round == 0) rounds.round = 7;
    return std::make_unique<Workers>(form_, *choice.representation, stage_, rounds,
                                     MethodSettings{.batch = 2, .seed = 3, .dual_bound = 1e3},
                                     WorkerSettings{count, choice.touched, std::move(team)});
  };
  const auto run = [&](Workers& workers) {
    workers.run(stage_, 0, 40);
    Iterate at_forty;
    workers.settle(at_forty);
    workers.run(stage_, 40, 60);
    return workers.snapshot();
  };
  const auto alone = create_workers(begin);
  const Iterate expected = run(*alone);
  ASSERT_TRUE(expected.finite());
  for (const unsigned threads : {2U, 8U}) {
    use_threads(threads);
    expect_same(run(*create_workers(begin)), expected);
    use_threads(1);
  }
  for (const Index processes : {2, 3, 5}) {
    std::vector<Iterate> found(static_cast<std::size_t>(processes));
    test::in_processes(processes, [&](const std::shared_ptr<const Processes>& team) {
      found[static_cast<std::size_t>(team->number())] = run(*create_workers(begin, team));
    });
    for (const Iterate& one : found) expect_same(one, expected);
  }
  const auto seen = create_workers(begin), first = create_workers(begin);
  for (std::uint64_t t = 0; t < 40; ++t) seen->run(stage_, t, 1), seen->snapshot();
  Iterate state, saved;
  seen->settle(state);
  first->run(stage_, 0, 40);
  first->settle(saved);
  expect_same(state, saved);
  EXPECT_EQ(state.round, saved.round);
  const auto resumed = create_workers(saved);
  resumed->run(stage_, 40, 60);
  expect_same(resumed->snapshot(), expected);
}

TEST_P(LoopTest, LookingChangesNothing) {
  const auto seen = create(3), unseen = create(3);
  for (std::uint64_t t = 0; t < 120; ++t) {
    seen->run(stage_, t, 1);
    const Iterate once = seen->snapshot();
    expect_same(once, seen->snapshot());
    unseen->run(stage_, t, 1);
  }
  expect_same(seen->snapshot(), unseen->snapshot());
}

TEST(Registry, NamesAreFound) {
  for (const auto& algorithm : all_algorithms()) EXPECT_EQ(find_algorithm(algorithm.name), &algorithm);
  EXPECT_EQ(find_algorithm("no such"), nullptr);
}

}  // namespace
}  // namespace bridle
