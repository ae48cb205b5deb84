// How long rounds of workers are, and the dual safeguard, which acts on their average.
#include "bridle/algorithms/workers.hpp"

#include <gtest/gtest.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

#include "tests/properties.hpp"
#include "tests/support/thread_processes.hpp"

namespace bridle {
namespace {

constexpr Index n = 6, samples = 4000, count = 4;
constexpr std::uint64_t longest = samples / count / 4;  // a quarter of a share
constexpr Parameters steps{.tau = 0.02, .eta = 0.5, .beta = 0.1, .mu = 2, .rho = 5, .alpha = 0.3};

// Two classes about opposite points, one after the other or one sample of each in turn, and a row.
Problem two_classes(bool sorted) {
  DenseRows<double> data(samples, n);
  Vector labels(samples);
  for (Index i = 0; i < samples; ++i) {
    labels[i] = (sorted ? i < samples / 2 : i % 2 == 0) ? 1 : -1;
    data.row(i) = test::random_vector(n, static_cast<std::uint64_t>(i)).transpose().array() + 0.3 * labels[i];
    data(i, n - 1) = 1;
  }
  Problem problem(LinearModel(std::move(data), labels, LogisticLoss{}, Vector::Constant(n, 0.1)));
  problem.subject_to(Matrix(Matrix::Ones(1, n)), Vector::Constant(1, 1), Vector::Constant(1, 1));
  return problem;
}

class Running {
 public:
  Running(const std::string& algorithm, bool sorted, double dual_bound, std::uint64_t round,
          std::shared_ptr<const Processes> team = nullptr)
      : problem_(two_classes(sorted)), form_(problem_, scaling()) {
    Iterate start;
    start.x = start.z = Vector::Zero(form_.dimension());
    start.y = Vector::Zero(form_.rows());
    start.round = round;
    const RepresentationChoice choice = find_algorithm(algorithm)->choose(form_, stage_, start);
    workers_.emplace(form_, *choice.representation, stage_, start,
                     MethodSettings{.seed = 3, .dual_bound = dual_bound},
                     WorkerSettings{count, choice.touched, std::move(team)});
  }
  // Runs whole rounds, so many.
  Iterate run(int rounds) {
    Iterate out;
    for (; rounds > 0; --rounds) {
      const std::uint64_t now = workers_->round();
      workers_->run(stage_, iterations_, now);
      iterations_ += now;
    }
    workers_->settle(out);
    return out;
  }
  std::uint64_t round() const { return workers_->round(); }

 private:
  static Scaling scaling() {
    Scaling out;
    out.metric = MetricKind::diagonal;  // rows known through draws have it
    return out;
  }
  Problem problem_;
  StandardForm form_;
  Stage stage_{steps, {Decay::constant}, 100'000};
  std::optional<Workers> workers_;
  std::uint64_t iterations_ = 0;
};

TEST(Workers, ARoundPaysForItsAverage) {
  EXPECT_EQ(paying_round(0, 0), 15'000u) << "60 us are a tenth of the time of so many iterations of 40 ns";
  EXPECT_EQ(paying_round(200'000, 50), 451'111u);
  EXPECT_GT(paying_round(2'000, 50), paying_round(200, 50));
  EXPECT_LT(paying_round(200, 500), paying_round(200, 50));
  EXPECT_EQ(Running("smoothed", false, infinity, 0).round(), longest) << "a share has few samples";
}

TEST(Workers, RoundsGrowWhereSharesAreAlike) {
  Running running("smoothed", false, infinity, 20);
  for (const std::uint64_t expected : {40u, 80u, 160u}) {
    running.run(1);
    EXPECT_EQ(running.round(), expected);
  }
  Running long_already("smoothed", false, infinity, longest - 1);
  long_already.run(1);
  EXPECT_EQ(long_already.round(), longest);
}

TEST(Workers, RoundsShrinkWhereSharesPull) {
  Running running("smoothed", true, infinity, longest);
  std::uint64_t least = running.round();
  for (int k = 0; k < 20; ++k) {
    running.run(1);
    least = std::min(least, running.round());
  }
  EXPECT_EQ(least, 8u);
  EXPECT_LE(running.round(), 32u) << "and rounds stay short";
}

TEST(Workers, TheDualSafeguardActsOnTheAverage) {
  for (const char* algorithm : {"safeguarded", "safeguarded-storm"}) {
    constexpr int rounds = 7;
    const Iterate free = Running(algorithm, false, infinity, 8).run(rounds);
    EXPECT_EQ(free.resets, 0u);
    EXPECT_GT(free.y.norm(), 0.01);
    const Iterate alone = Running(algorithm, false, 0.01, 8).run(rounds);
    EXPECT_EQ(alone.resets, static_cast<std::uint64_t>(rounds)) << "one in each meeting";
    EXPECT_EQ(alone.y, Vector(Vector::Zero(1)));
    EXPECT_NE(alone.x, free.x);
    test::in_processes(3, [&](const std::shared_ptr<const Processes>& team) {
      const Iterate found = Running(algorithm, false, 0.01, 8, team).run(rounds);
      EXPECT_EQ(found.x, alone.x);
      EXPECT_EQ(found.y, alone.y);
      EXPECT_EQ(found.resets, alone.resets);
    });
  }
}

}  // namespace
}  // namespace bridle
