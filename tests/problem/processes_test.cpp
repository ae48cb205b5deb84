// Objectives over several processes (here: threads that meet to add up): every answer is that of the whole
// objective, in all of them the same bits, and the work of a batch is shared.
#include "bridle/core/processes.hpp"

#include <barrier>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

constexpr Index processes = 3, samples = 10, n = 6;

// Where the threads leave their figures for each other.
struct MeetingPlace {
  std::barrier<> all{processes};
  std::vector<Vector> figures = std::vector<Vector>(processes);
};

class Threads final : public Processes {
 public:
  Threads(Index number, MeetingPlace& place) : number_(number), place_(place) {}
  Index count() const override { return processes; }
  Index number() const override { return number_; }
  void sum(VectorRef figures) const override {
    meet(figures, [](const Vector& a, const Vector& b) { return Vector(a + b); });
  }
  void largest(VectorRef figures) const override {
    meet(figures, [](const Vector& a, const Vector& b) { return Vector(a.cwiseMax(b)); });
  }

 private:
  template <class Join>
  void meet(VectorRef figures, const Join& join) const {
    place_.figures[static_cast<std::size_t>(number_)] = figures;
    place_.all.arrive_and_wait();
    Vector joined = place_.figures[0];
    for (std::size_t k = 1; k < processes; ++k) joined = join(joined, place_.figures[k]);
    place_.all.arrive_and_wait();  // none overwrites what another still reads
    figures = joined;
  }

  Index number_;
  MeetingPlace& place_;
};

// What each of the processes answers.
std::vector<Vector> answers(const std::function<Vector(std::shared_ptr<const Processes>)>& ask) {
  MeetingPlace place;
  std::vector<Vector> out(processes);
  std::vector<std::thread> threads;
  for (Index k = 0; k < processes; ++k)
    threads.emplace_back(
        [&, k] { out[static_cast<std::size_t>(k)] = ask(std::make_shared<Threads>(k, place)); });
  for (auto& thread : threads) thread.join();
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

}  // namespace
}  // namespace bridle
