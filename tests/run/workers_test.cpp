// Runs whose samples are shared by workers: the same bits on any number of threads and processes, broken off
// or not, and an answer that the judge certifies.
#include <cstdio>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"
#include "tests/support/thread_processes.hpp"

namespace bridle {
namespace {

constexpr Index n = 40, samples = 2000;

// Sparse, with a bound on a sum: the lazy iterate's. Rows of the data by label where shares are to differ.
Problem classification(bool by_label) {
  const Matrix data = test::random_sparse(samples, n, 0.2, 11);
  const Vector truth = test::random_vector(n, 12);
  std::vector<Index> order(samples);
  for (Index i = 0; i < samples; ++i) order[static_cast<std::size_t>(i)] = i;
  const Vector score = data * truth + test::random_vector(samples, 13);
  if (by_label) std::stable_partition(order.begin(), order.end(), [&](Index i) { return score[i] > 0; });
  const Matrix ordered = data(order, Eigen::all);
  const Vector labels = (score(order).array() > 0).select(Vector::Ones(samples), -1.0);
  Problem problem(
      LinearModel(SparseRows(ordered.sparseView()), labels, LogisticLoss{}, Vector::Constant(n, 1e-2)));
  problem.subject_to(Matrix(Matrix::Ones(1, n)), Vector::Constant(1, -0.5), Vector::Constant(1, 0.5));
  return problem;
}

SolveOptions loop_alone(Index workers, double epochs) {
  return {.epochs = epochs, .tolerance = 0, .workers = workers, .finish = false, .second_order = false};
}

class Threads {
 public:
  explicit Threads(unsigned count) { use_threads(count); }
  ~Threads() { use_threads(1); }
};

void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.status, b.status);
}

void expect_same_in_processes(const Problem& problem, const SolveOptions& options, const Result& alone) {
  for (const Index processes : {2, 3}) {
    std::vector<Result> found(static_cast<std::size_t>(processes));
    test::in_processes(processes, [&](const std::shared_ptr<const Processes>& team) {
      SolveOptions own = options;
      own.team = team;
      found[static_cast<std::size_t>(team->number())] = solve(problem, own);
    });
    for (const Result& one : found) expect_same(one, alone);
  }
}

TEST(Workers, OneIsTheRunWithout) {
  const Problem problem = classification(false);
  expect_same(solve(problem, loop_alone(1, 4)), solve(problem, loop_alone(0, 4)));
  EXPECT_NE(solve(problem, loop_alone(2, 4)).x, solve(problem, loop_alone(1, 4)).x);
}

TEST(Workers, SameBitsOnAnyThreadsAndProcesses) {
  for (const char* algorithm : {"smoothed", "safeguarded", "storm", "safeguarded-storm"}) {
    const Problem problem = classification(false);
    SolveOptions options = loop_alone(4, 60);  // several chunks, and rounds within them
    options.algorithm = algorithm;
    options.finish = options.second_order = true;
    const Result alone = solve(problem, options);
    for (const unsigned count : {2U, 8U}) {
      const Threads threads(count);
      expect_same(solve(problem, options), alone);
    }
    for (const unsigned count : {1U, 4U}) {  // of each process
      const Threads threads(count);
      expect_same_in_processes(problem, options, alone);
    }
  }
}

// One worker, and passes over the data that are worth the messages of processes: second-order steps, the
// judge.
TEST(Workers, PassesAreSharedByProcesses) {
  constexpr Index many = 120'000, columns = 90;
  const Vector truth = test::random_vector(columns, 21);
  DenseRows<double> data(many, columns);
  for (Index i = 0; i < many; ++i)
    data.row(i) = test::random_vector(columns, static_cast<std::uint64_t>(i), 1).transpose();
  const Vector score = data * truth + test::random_vector(many, 22);
  const Vector labels = (score.array() > 0).select(Vector::Ones(many), -1.0);
  Problem problem(
      LinearModel(std::move(data), labels, LogisticDifferenceLoss{}, Vector::Constant(columns, 1e-3)));
  problem.subject_to(Matrix(Matrix::Ones(1, columns)), Vector::Constant(1, -0.5), Vector::Constant(1, 0.5));
  ASSERT_TRUE(passes_are_shared(problem));
  EXPECT_FALSE(passes_are_shared(classification(false))) << "too few for messages";
  for (const Index workers : {1, 3}) {
    const SolveOptions options{.workers = workers};
    const Result alone = solve(problem, options);
    ASSERT_EQ(alone.status, Status::stationary);
    EXPECT_EQ(alone.found_by, FoundBy::second_order);
    expect_same_in_processes(problem, options, alone);
  }
}

// Every process has the samples of its own workers and no others.
TEST(Workers, SamplesMayLieWithTheWorkers) {
  const Problem whole = classification(false);
  const LinearModel& model = *whole.objective().as_linear_model();
  const auto in_shares = [&](const Shares& workers) {
    std::vector<Index> here;
    for (Index i = first_of_share(samples, workers.first(), workers.count);
         i < first_of_share(samples, workers.end(), workers.count); ++i)
      here.push_back(i);
    return whole.with_objective(model.part(here).in_shares(workers, samples));
  };
  for (const char* algorithm : {"smoothed", "safeguarded", "storm", "safeguarded-storm"}) {
    SolveOptions options{.algorithm = algorithm, .workers = 5};
    const Result unsplit = solve(whole, options), alone = solve(in_shares({.count = 5}), options);
    EXPECT_EQ(alone.found_by, FoundBy::second_order) << "the steps after the loop are taken too";
    EXPECT_EQ(alone.iterations, unsplit.iterations);
    test::expect_near(alone.x, unsplit.x, 1e-7);
    for (const Index processes : {2, 3, 5})
      test::in_processes(processes, [&](const std::shared_ptr<const Processes>& team) {
        SolveOptions own = options;
        own.team = team;
        const Result found = solve(in_shares({5, team}), own);
        expect_same(found, alone);
        EXPECT_EQ(found.status, Status::stationary);
        const Certificate judged = certify(whole, found.x, found.y);
        EXPECT_LE(judged.error(), 1e-6) << "by the judge who has all samples";
      });
  }
  EXPECT_THROW(solve(in_shares({.count = 5}), {.workers = 4}), InputError);
  EXPECT_EQ(solve(in_shares({.count = 5}), {}).x, solve(in_shares({.count = 5}), {.workers = 5}).x);
}

// Shares that are alike: workers that each take as many steps as one alone have less noise than it.
TEST(Workers, AverageTheirNoise) {
  const Problem problem = classification(false);
  const double best = solve(problem).objective();
  const double one = solve(problem, loop_alone(1, 20)).objective() - best;
  for (const Index workers : {2, 4}) {
    const double many =
        solve(problem, loop_alone(workers, 20.0 * static_cast<double>(workers))).objective() - best;
    EXPECT_LT(many, one) << workers;
  }
}

TEST(Workers, SharesThatDifferAreBroughtTogether) {
  const Problem problem = classification(true);
  const double best = solve(problem).objective();
  for (const Index workers : {2, 4}) {
    const Result found = solve(problem, loop_alone(workers, 100));
    EXPECT_LT(found.objective() - best, 1e-2 * best) << workers;
    EXPECT_LT(found.certificate.error(), 1e-1);
  }
}

TEST(Workers, ResumedOnOtherThreadsAndProcesses) {
  class Interrupting final : public Observer {
   public:
    explicit Interrupting(int after) : left_(after) {}
    bool interrupted() override { return left_-- <= 0; }

   private:
    int left_;
  };
  const Problem problem = classification(false);
  const std::string path = testing::TempDir() + "bridle_workers.checkpoint";
  SolveOptions options = loop_alone(4, 200);
  const Result alone = solve(problem, options);
  options.checkpoint = path;
  options.checkpoint_seconds = 1e9;
  options.resume = true;
  for (const int after : {3, 9, 12}) {
    std::remove(path.c_str());
    Interrupting observer(after);
    const Result broken = [&] {
      const Threads threads(2);
      return solve(problem, options, &observer);
    }();
    ASSERT_EQ(broken.status, Status::interrupted);
    std::vector<Result> found(3);
    test::in_processes(3, [&](const std::shared_ptr<const Processes>& team) {
      SolveOptions own = options;
      own.team = team;
      own.writes_files = false;
      found[static_cast<std::size_t>(team->number())] = solve(problem, own);
    });
    for (const Result& one : found) expect_same(one, alone);
  }
  std::remove(path.c_str());
}

TEST(Workers, AreRefusedWhereTheyCannotBe) {
  const Problem problem = classification(false);
  EXPECT_THROW(solve(problem, loop_alone(samples + 1, 1)), InputError);
  EXPECT_THROW(solve(problem, loop_alone(-1, 1)), InputError);
  SolveOptions rival = loop_alone(2, 1);
  rival.algorithm = "penalty-sgd";
  EXPECT_THROW(solve(problem, rival), InputError);
}

}  // namespace
}  // namespace bridle
