// Passes over all the data: the plain sums, whatever the storage; the same bits on any number of threads.
#include "bridle/core/threads.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/core/error.hpp"
#include "bridle/problem/objectives/linear_model.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

class OtherThreads {
 public:
  explicit OtherThreads(unsigned count) { use_threads(count); }
  ~OtherThreads() { use_threads(1); }
};

// Large enough for several chunks; rows and columns that do not fill the lanes.
LinearModel model_of(const std::string& storage, Index rows, Index columns) {
  DenseRows<double> data(rows, columns);
  for (Index i = 0; i < rows; ++i)
    data.row(i) = test::random_vector(columns, static_cast<std::uint64_t>(i), 1).transpose();
  Vector labels(rows);
  for (Index i = 0; i < rows; ++i) labels[i] = i % 3 ? 1 : -1;
  if (storage == "float") return {DenseRows<float>(data.cast<float>()), labels, LogisticLoss{}};
  if (storage == "sparse") {
    data = (data.array().abs() < 0.3).select(data, 0.0);
    return {SparseRows(data.sparseView()), labels, LogisticLoss{}};
  }
  return {data, labels, LogisticLoss{}};
}

TEST(Passes, AreThePlainSums) {
  for (const char* storage : {"double", "float", "sparse"})
    for (const Index columns : {1, 3, 4, 7, 8, 13, 16, 29, 150})
      for (const Index rows : {1, 4, 7, 301}) {
        const LinearModel model = model_of(storage, rows, columns);
        const Vector x = test::random_vector(columns, 7, 1);
        Vector sum = Vector::Zero(columns), one(columns), mean(columns);
        double values = 0;
        for (Index i = 0; i < rows; ++i) {
          model.gradient(x, static_cast<Sample>(i), one);
          sum += one;
          values += model.value(x, static_cast<Sample>(i));
        }
        model.mean_gradient(x, mean);
        const auto count = static_cast<double>(rows);
        EXPECT_LT((mean - sum / count).norm(), 1e-13 * (1 + sum.norm() / count))
            << storage << " " << rows << " x " << columns;
        EXPECT_NEAR(model.mean_value(x), values / count, 1e-13 * (1 + values / count)) << storage;
        Vector both(columns);
        EXPECT_NEAR(model.value_and_gradient(x, both), values / count, 1e-13 * (1 + values / count))
            << storage;
        EXPECT_EQ(both, mean) << storage;
      }
}

TEST(Passes, SameBitsOnAnyNumberOfThreads) {
  for (const char* storage : {"double", "float", "sparse"}) {
    const LinearModel model = model_of(storage, 20'003, 29);
    const Vector x = test::random_vector(29, 7, 1);
    Vector alone(29), together(29);
    model.mean_gradient(x, alone);
    const double value = model.mean_value(x), norm = model.mean_squared_norm(x);
    const Vector curvature = model.curvature_diagonal(), magnitude = model.column_statistics().magnitude;
    for (const unsigned threads : {2, 3, 8}) {
      const OtherThreads more(threads);
      for (int again = 0; again < 5; ++again) {
        model.mean_gradient(x, together);
        ASSERT_EQ(together, alone) << storage << " on " << threads;
        ASSERT_EQ(model.mean_value(x), value) << storage << " on " << threads;
        ASSERT_EQ(model.mean_squared_norm(x), norm) << storage << " on " << threads;
        ASSERT_EQ(model.curvature_diagonal(), curvature) << storage << " on " << threads;
        const LinearModel anew = model.with_features(model.features());  // counts its columns itself
        ASSERT_EQ(anew.column_statistics().magnitude, magnitude) << storage << " on " << threads;
      }
    }
  }
}

// A finite sum that a user might write; one of its samples may fail.
struct Callback {
  static constexpr bool thread_safe = true;
  Index dimension() const { return 5; }
  Index sample_count() const { return 3000; }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    if (sample == refused) throw InputError("refused");
    out = std::sin(static_cast<double>(sample)) * x;
  }
  double value(ConstVectorRef x, Sample sample) const {
    return std::cos(static_cast<double>(sample)) * x.squaredNorm();
  }
  Sample refused = ~Sample{0};
};

TEST(Passes, CallbacksToo) {
  const AnyObjective objective = Callback{};
  EXPECT_TRUE(objective.thread_safe());
  const Vector x = test::random_vector(5, 3, 1);
  Vector alone(5), together(5);
  objective.mean_gradient(x, alone);
  const double value = *objective.mean_value(x);
  for (const unsigned threads : {2, 3}) {
    const OtherThreads more(threads);
    objective.mean_gradient(x, together);
    EXPECT_EQ(together, alone) << threads;
    EXPECT_EQ(*objective.mean_value(x), value) << threads;
    EXPECT_THROW(AnyObjective(Callback{1234}).mean_gradient(x, together), InputError) << threads;
  }
}

TEST(Passes, TasksInsideTasksStayOnTheirThread) {
  const OtherThreads more(4);
  std::atomic<int> elsewhere{0};
  in_parallel(8, 4, [&](std::size_t) {
    const auto here = std::this_thread::get_id();
    in_parallel(8, 4, [&](std::size_t) { elsewhere += std::this_thread::get_id() != here; });
  });
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace bridle
