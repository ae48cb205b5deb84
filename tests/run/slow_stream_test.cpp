// Streams that are known through samples only and take long to draw from: the time limit holds for the
// judge's last word too. The clock is the objective's own, which runs when a gradient or a value is taken.
#include <memory>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/run/solve.hpp"

#include "tests/properties.hpp"

namespace bridle {
namespace {

using test::expect_contains;

constexpr Index n = 5;

// E |x - 1 - noise|^2 / 2, of which nobody knows the mean.
struct SlowStream {
  double takes;
  std::shared_ptr<double> now = std::make_shared<double>(0);

  Index dimension() const { return n; }
  Index sample_count() const { return endless; }
  Vector drawn(Sample sample) const {
    const Stream random(sample, Purpose::generator);
    Vector out(n);
    for (Index j = 0; j < n; ++j) out[j] = 1 + 0.1 * random.normal(static_cast<std::uint64_t>(j));
    return out;
  }
  void gradient(ConstVectorRef x, Sample sample, VectorRef out) const {
    *now += takes;
    out = x - drawn(sample);
  }
  double value(ConstVectorRef x, Sample sample) const {
    *now += takes;
    return 0.5 * (x - drawn(sample)).squaredNorm();
  }
};

Problem with_budget_row(const SlowStream& f) {
  Problem out(f);
  const SparseRows ones = Matrix::Ones(1, n).sparseView();
  const Vector two = Vector::Constant(1, 2);
  return out.subject_to(ones, two, two);
}

TEST(SlowStream, TheLastWordIsInsideTheLimit) {
  constexpr double limit = 20;
  for (const double takes : {1e-4, 1e-3, 5e-3})
    for (const double budget : {0.0, 1e13}) {
      const SlowStream f{takes};
      const Problem problem = with_budget_row(f);
      SolveOptions options{.samples = budget, .seconds = limit, .tolerance = 0};
      options.clock = [now = f.now] { return *now; };
      const Result result = solve(problem, options);
      EXPECT_LE(*f.now, 1.1 * limit + 0.5) << "takes " << takes << ", samples " << budget;
      EXPECT_GE(*f.now, 0.6 * limit) << "takes " << takes << ", samples " << budget;
      EXPECT_FALSE(result.certificate.exact);
      // By a judge who has all the time.
      const Certificate judged = certify(with_budget_row({0}), result.x, result.y);
      EXPECT_LE(judged.estimate(), 0.05) << "takes " << takes;
      EXPECT_LE(judged.feasibility.relative, 1e-9);
    }
}

TEST(SlowStream, SaysOnHowManySamplesItWasJudged) {
  const SlowStream f{1e-3};
  SolveOptions options{.seconds = 20, .tolerance = 0};
  options.clock = [now = f.now] { return *now; };
  const Result result = solve(with_budget_row(f), options);
  ASSERT_FALSE(result.events.empty());
  expect_contains(result.events.back(),
                  "judged on " + std::to_string(result.certificate.gradients) + " fresh samples");
  EXPECT_LT(result.certificate.gradients, CertifyOptions().batch);
  EXPECT_GE(result.certificate.gradients, 100);
}

// Without a limit, or with one that bears it, he takes as many as ever.
TEST(SlowStream, AQuickOneIsJudgedInFull) {
  const SlowStream f{1e-6};
  SolveOptions options{.samples = 20'000, .seconds = 8, .tolerance = 0};
  options.clock = [now = f.now] { return *now; };
  const Result result = solve(with_budget_row(f), options);
  EXPECT_EQ(result.certificate.gradients, CertifyOptions().batch);
  EXPECT_LE(certify(with_budget_row({0}), result.x, result.y).estimate(), 0.05);
}

}  // namespace
}  // namespace bridle
