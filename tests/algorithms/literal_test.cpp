// The loops against the paper's pseudo-code, written out once more with dense matrices and explicit slack
// columns, on the user's own rows (identity metric): equal to rounding for 50 steps, unlike mutants of it.
#include "tests/algorithms/literal_case.hpp"

namespace bridle::literal {
namespace {

constexpr Parameters parameters{.tau = 0.02, .eta = 0.3, .beta = 0.2, .mu = 3, .rho = 2, .alpha = 0.4};

enum class Mutant { none, z_from_new_x, old_multipliers, no_penalty, other_sample };

class Paper : public Loop {
 public:
  Paper(Rows_ kind, const Iterate& start, Index batch, Mutant mutant)
      : Loop(kind, start, parameters), batch_(static_cast<std::uint64_t>(batch)), mutant_(mutant) {}

  void algorithm_1() {
    const auto [A, b] = expected();
    const Vector y_old = y;
    y = y + p.eta * (A * x - b);
    const Vector g = batch_gradient(x, batch_);
    step(g + A.transpose() * ((mutant_ == Mutant::old_multipliers ? y_old : y) + rho() * (A * x - b)));
  }

  void algorithm_2(double bound) {
    const std::uint64_t t = samples_drawn();
    const auto [A, b] = drawn(draws().zeta(t));
    const auto [A1, b1] = drawn(draws().zeta1(t));
    const auto [A2, b2] = mutant_ == Mutant::other_sample ? std::pair(A1, b1) : drawn(draws().zeta2(t));
    y = y + p.eta * (A * x - b);
    if (y.norm() >= bound) y.setZero(), ++resets;
    const Vector g = gradient(x, next_sample());
    step(g + A1.transpose() * y + rho() * A1.transpose() * (A2 * x - b2));
  }

  void algorithm_3() {
    const auto [A, b] = expected();
    if (estimate_.size() == 0) estimate_ = batch_gradient(x, first_size);
    y = y + p.eta * (A * x - b);
    const Vector old = x;
    step(estimate_ + A.transpose() * (y + rho() * (A * x - b)));
    update_estimate(old);
  }

  void algorithm_4(double bound) {
    if (estimate_.size() == 0) {
      residual_ = Vector::Zero(m);
      pull_ = Vector::Zero(size());
      for (std::uint64_t k = 0; k < first_size; ++k) {
        const auto share = 1 / static_cast<double>(first_size);
        const auto [A, b] = drawn(draws().zeta((1ULL << 48) + k));
        const auto [A1, b1] = drawn(draws().zeta1((1ULL << 48) + k));
        const auto [A2, b2] = drawn(draws().zeta2((1ULL << 48) + k));
        residual_ += share * (A * x - b);
        pull_ += share * (A1.transpose() * y + rho() * A1.transpose() * (A2 * x - b2));
      }
      old_x_ = x;
      estimate_ = batch_gradient(x, first_size);
    }
    const std::uint64_t t = samples_drawn();
    const auto [A1, b1] = drawn(draws().zeta1(t));
    const auto [A2, b2] = drawn(draws().zeta2(t));
    const auto pull = [&, A1 = A1, A2 = A2, b2 = b2](const Vector& at, const Vector& multipliers) {
      return Vector(A1.transpose() * multipliers + rho() * A1.transpose() * (A2 * at - b2));
    };
    const Vector old_y = y;
    y = y + p.eta * residual_;
    if (y.norm() >= bound) y.setZero(), ++resets;
    pull_ = pull(x, y) + (1 - p.alpha) * (pull_ - pull(old_x_, old_y));
    old_x_ = x;
    step(estimate_ + pull_);
    update_estimate(old_x_);
    const auto [A, b] = drawn(draws().zeta(t));
    residual_ = (A * x - b) + (1 - p.alpha) * (residual_ - (A * old_x_ - b));
  }

  int resets = 0;

 private:
  double rho() const { return mutant_ == Mutant::no_penalty ? 0 : p.rho; }

  void step(const Vector& without_smoothing) {
    const Vector old = x;
    x = projected(old - p.tau * (without_smoothing + p.mu * (old - z)));
    z = z + p.beta * ((mutant_ == Mutant::z_from_new_x ? x : old) - z);
  }

  void update_estimate(const Vector& old) {
    const Sample sample = next_sample();
    const Sample at_old = mutant_ == Mutant::other_sample ? sample + 1 : sample;
    estimate_ = gradient(x, sample) + (1 - p.alpha) * (estimate_ - gradient(old, at_old));
  }

  std::uint64_t batch_;
  Mutant mutant_;
  Vector estimate_, residual_, pull_, old_x_;
};

template <class Step>
double difference(const char* name, Rows_ kind, const Step& step, Mutant mutant = Mutant::none,
                  Index batch = 1, double dual_bound = infinity, int* resets = nullptr) {
  Paper paper(kind, start_of(make_form(kind)), batch, mutant);
  const double largest =
      largest_difference(name, kind, parameters, paper, step,
                         {.batch = batch, .seed = seed, .dual_bound = dual_bound, .literal_draws = true});
  if (resets) *resets = paper.resets;
  return largest;
}

void one(Paper& paper) { paper.algorithm_1(); }
void three(Paper& paper) { paper.algorithm_3(); }

TEST(Literal, Algorithm1) {
  EXPECT_LE(difference("smoothed", Rows_::known, one), 1e-12);
  EXPECT_LE(difference("smoothed", Rows_::known, one, Mutant::none, 3), 1e-12) << "a batch of three";
  EXPECT_GT(difference("smoothed", Rows_::known, one, Mutant::z_from_new_x), 1e-3);
  EXPECT_GT(difference("smoothed", Rows_::known, one, Mutant::old_multipliers), 1e-3);
  EXPECT_GT(difference("smoothed", Rows_::known, one, Mutant::no_penalty), 1e-3);
}

TEST(Literal, Algorithm2) {
  const auto two = [](Paper& paper) { paper.algorithm_2(infinity); };
  EXPECT_LE(difference("safeguarded", Rows_::drawn, two), 1e-12);
  EXPECT_GT(difference("safeguarded", Rows_::drawn, two, Mutant::z_from_new_x), 1e-3);
  EXPECT_GT(difference("safeguarded", Rows_::drawn, two, Mutant::other_sample), 1e-3)
      << "zeta' used twice is biased";
  int resets = 0;
  const auto guarded = [](Paper& paper) { paper.algorithm_2(2.2); };
  EXPECT_LE(difference("safeguarded", Rows_::drawn, guarded, Mutant::none, 1, 2.2, &resets), 1e-12);
  EXPECT_GT(resets, 0) << "the safeguard must have acted";
}

TEST(Literal, Algorithm3) {
  EXPECT_LE(difference("storm", Rows_::known, three), 1e-12);
  EXPECT_GT(difference("storm", Rows_::known, three, Mutant::z_from_new_x), 1e-3);
  EXPECT_GT(difference("storm", Rows_::known, three, Mutant::other_sample), 1e-3);
}

TEST(Literal, Algorithm4) {
  const auto four = [](Paper& paper) { paper.algorithm_4(infinity); };
  EXPECT_LE(difference("safeguarded-storm", Rows_::drawn, four), 1e-12);
  EXPECT_GT(difference("safeguarded-storm", Rows_::drawn, four, Mutant::other_sample), 1e-3);
  EXPECT_GT(difference("safeguarded-storm", Rows_::drawn, four, Mutant::z_from_new_x), 1e-3);
}

}  // namespace
}  // namespace bridle::literal
