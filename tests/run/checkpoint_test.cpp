// A run that is broken off and taken up again ends with the same bits as one that was left alone; a damaged
// or foreign checkpoint is refused.
#include "bridle/run/checkpoint.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/archive.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/run/solve.hpp"
#include "bridle/run/state.hpp"

#include "tests/planted.hpp"

namespace bridle {
namespace {

using test::random_vector;
using test::vec;

constexpr Index n = 8;

class Interrupting : public Observer {
 public:
  explicit Interrupting(int after) : left_(after) {}
  void started(const RunInfo& info) override { resumed = info.resumed; }
  bool interrupted() override { return left_-- <= 0; }
  bool resumed = false;

 private:
  int left_;
};

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest()
      : path_(testing::TempDir() + "bridle_" + testing::UnitTest::GetInstance()->current_test_info()->name() +
              ".checkpoint") {
    std::remove(path_.c_str());
  }
  ~CheckpointTest() override { std::remove(path_.c_str()); }

  // An interruption writes a checkpoint; others, which wait for the disk, come at every look when `often` is
  // set.
  SolveOptions with_checkpoint(SolveOptions options, bool often = false) const {
    options.checkpoint = path_;
    options.checkpoint_seconds = often ? 0 : 1e9;
    options.resume = true;
    return options;
  }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }

  void expect_undisturbed(const Problem& problem, const SolveOptions& options,
                          const std::vector<int>& places) {
    const Result alone = solve(problem, options);
    for (const int after : places) {
      std::remove(path_.c_str());
      Interrupting first(after), second(1'000'000);
      const Result broken = solve(problem, with_checkpoint(options), &first);
      ASSERT_EQ(broken.status, Status::interrupted);
      ASSERT_LT(broken.iterations, alone.iterations);
      const Result resumed = solve(problem, with_checkpoint(options), &second);
      EXPECT_TRUE(second.resumed);
      EXPECT_EQ(resumed.x, alone.x) << "interrupted after " << after << " looks";
      EXPECT_EQ(resumed.y, alone.y);
      EXPECT_EQ(resumed.iterations, alone.iterations);
      EXPECT_EQ(resumed.samples, alone.samples);
      EXPECT_EQ(resumed.status, alone.status);
      EXPECT_EQ(resumed.events, alone.events);
      EXPECT_EQ(certify(problem, resumed.x, resumed.y).error(), certify(problem, alone.x, alone.y).error());
    }
  }

  const std::string path_;
};

test::Planted planted(std::uint64_t counter = 41) {
  return test::plant(Box(Vector::Constant(n, -1), Vector::Ones(n)), Vector::LinSpaced(n, -1, 5), {2, 2, 1},
                     counter, {.additive = 1, .multiplicative = 0.1});
}

TEST_F(CheckpointTest, AutomaticParameters) {
  for (const char* algorithm : {"smoothed", "safeguarded", "storm", "safeguarded-storm"})
    expect_undisturbed(planted().problem, {.samples = 8000, .tolerance = 0, .algorithm = algorithm},
                       {0, 7, 40, 200});
}

TEST_F(CheckpointTest, GivenParameters) {
  const Parameters p{.tau = 0.01, .eta = 1, .beta = 0.05, .mu = 2, .rho = 10, .alpha = 0.3};
  for (const char* algorithm : {"smoothed", "safeguarded", "storm", "safeguarded-storm"})
    for (const Output output : {Output::best, Output::last, Output::random})
      expect_undisturbed(planted().problem,
                         {.samples = 3000,
                          .tolerance = 0,
                          .algorithm = algorithm,
                          .source = ParameterSource::given,
                          .given = GivenParameters{p, {Decay::linear}, MetricKind::diagonal},
                          .batch = 3,
                          .output = output},
                         {0, 30});
}

TEST_F(CheckpointTest, LinearModel) {
  const Vector labels = (random_vector(300, 42).array() > 0).select(Vector::Ones(300), -1.0);
  Problem problem(LinearModel(DenseRows<double>(test::random_matrix(300, n, 43)), labels, LogisticLoss{}));
  problem.subject_to(Matrix(Matrix::Ones(1, n)), vec(-0.1), vec(0.1));
  for (const Sampling sampling : {Sampling::independent, Sampling::reshuffled})
    expect_undisturbed(problem, {.epochs = 20, .tolerance = 0, .sampling = sampling}, {0, 5, 30});
}

// Interrupted again and again. (The second-order phase begins anew in every run: it is not saved.)
TEST_F(CheckpointTest, ManyInterruptions) {
  const Problem problem = planted().problem;
  const SolveOptions options{.samples = 8000, .tolerance = 0, .second_order = false};
  const Result alone = solve(problem, options);
  Result last;
  int runs = 0;
  do {
    Interrupting observer(60);
    last = solve(problem, with_checkpoint(options), &observer);
    ASSERT_LT(++runs, 100) << "a resumed run must get further";
  } while (last.status == Status::interrupted);
  EXPECT_GT(runs, 5);
  EXPECT_EQ(last.x, alone.x);
  EXPECT_EQ(last.iterations, alone.iterations);
  EXPECT_EQ(certify(problem, last.x, last.y).error(), certify(problem, alone.x, alone.y).error());
}

// Checkpoints at every look: the last one before the machine stops is as good as one at an interruption.
TEST_F(CheckpointTest, EveryLookLeavesOne) {
  const Problem problem = planted().problem;
  const SolveOptions options{.samples = 8000, .tolerance = 0};
  const Result alone = solve(problem, options);
  class Stopping : public Observer {
   public:
    bool interrupted() override {
      if (++asked == 15) throw std::runtime_error("power cut");
      return false;
    }
    int asked = 0;
  } cut;
  EXPECT_THROW(solve(problem, with_checkpoint(options, true), &cut), std::runtime_error);
  Interrupting observer(1'000'000);
  const Result resumed = solve(problem, with_checkpoint(options), &observer);
  EXPECT_TRUE(observer.resumed);
  EXPECT_EQ(resumed.x, alone.x);
  EXPECT_EQ(resumed.iterations, alone.iterations);
  EXPECT_EQ(certify(problem, resumed.x, resumed.y).error(), certify(problem, alone.x, alone.y).error());
}

TEST_F(CheckpointTest, WithoutResumeARunStartsAnew) {
  const Problem problem = planted().problem;
  SolveOptions options = with_checkpoint({.samples = 2000, .tolerance = 0});
  Interrupting first(20), second(1'000'000);
  ASSERT_EQ(solve(problem, options, &first).status, Status::interrupted);
  options.resume = false;
  const Result anew = solve(problem, options, &second);
  EXPECT_FALSE(second.resumed);
  EXPECT_EQ(anew.x, solve(problem, {.samples = 2000, .tolerance = 0}).x);
  EXPECT_LT(certify(problem, anew.x, anew.y).error(), infinity);
}

TEST_F(CheckpointTest, DamagedFilesAreRefused) {
  const Problem problem = planted().problem;
  const SolveOptions options = with_checkpoint({.samples = 2000, .tolerance = 0});
  Interrupting observer(20);
  ASSERT_EQ(solve(problem, options, &observer).status, Status::interrupted);
  const std::string good = bytes();
  ASSERT_GT(good.size(), 500U);
  const auto refusal = [&](const std::string& content) {
    replace(content);
    return test::refusal([&] { solve(problem, options); });
  };
  for (std::size_t k = 0; k < good.size(); k += k < 60 ? 1 : 97) {
    std::string flipped = good;
    flipped[k] = static_cast<char>(flipped[k] ^ (1 << k % 8));
    test::expect_contains(refusal(flipped), path_);
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{19}, std::size_t{20}, std::size_t{43}, std::size_t{44},
        good.size() / 2, good.size() - 8, good.size() - 1})
    test::expect_contains(refusal(good.substr(0, size)), path_);
  test::expect_contains(refusal(good + "x"), "damaged");
  test::expect_contains(refusal("something else"), "not a checkpoint");
  replace(good);
  EXPECT_NO_THROW(solve(problem, options));
}

// A crafted file, with a checksum that fits: no byte may make a truth value or a choice that there is not.
TEST_F(CheckpointTest, CraftedStatesAreRefused) {
  const Problem problem = planted().problem;
  const SolveOptions options = with_checkpoint({.samples = 2000, .tolerance = 0});
  Interrupting observer(20);
  ASSERT_EQ(solve(problem, options, &observer).status, Status::interrupted);
  const std::uint64_t print = fingerprint(problem, options);
  const std::string sound = read_checkpoint(path_, print).value();
  const auto expect_damaged = [&](const std::string& payload) {
    write_checkpoint(path_, print, payload);
    test::expect_contains(test::refusal([&] { solve(problem, options); }),
                          path_ + ": the checkpoint is damaged");
  };
  std::string crafted = sound;
  crafted.at(sizeof(int)) = 7;  // StageState::open
  expect_damaged(crafted);
  RunState state;
  ArchiveReader{sound}(state);
  const auto with_state = [&] {
    ArchiveWriter before, after;
    RunState old;
    ArchiveReader{sound}(old);
    before(old);
    after(state);
    return after.bytes() + sound.substr(before.bytes().size());
  };
  state.stage.scaling.metric = static_cast<MetricKind>(9);
  expect_damaged(with_state());
  state.stage.scaling.metric = MetricKind::cholesky;
  state.stage.stage.schedule.decay = static_cast<Decay>(-1);
  expect_damaged(with_state());
  expect_damaged(sound + "x");
  write_checkpoint(path_, print, sound);
  EXPECT_NO_THROW(solve(problem, options));
}

TEST_F(CheckpointTest, ForeignFilesAreRefused) {
  const Problem problem = planted().problem;
  const SolveOptions base = with_checkpoint({.samples = 2000, .tolerance = 0});
  Interrupting observer(20);
  ASSERT_EQ(solve(problem, base, &observer).status, Status::interrupted);
  const auto refused = [&](const Problem& other, const std::function<void(SolveOptions&)>& change) {
    SolveOptions options = base;
    change(options);
    test::expect_contains(test::refusal([&] { solve(other, options); }), "another problem or other options");
  };
  const auto nothing = [](SolveOptions&) {};
  refused(problem, [](SolveOptions& o) { o.seed = 2; });
  refused(problem, [](SolveOptions& o) { o.algorithm = "storm"; });
  refused(problem, [](SolveOptions& o) { o.batch = 2; });
  refused(problem, [](SolveOptions& o) { o.curvature = 3; });
  refused(problem, [](SolveOptions& o) { o.sampling = Sampling::independent; });
  refused(problem, [](SolveOptions& o) { o.source = ParameterSource::theory; });
  refused(problem, [](SolveOptions& o) { o.dual_bound = 7; });
  refused(problem, [](SolveOptions& o) { o.finish = false; });
  refused(problem, [](SolveOptions& o) { o.second_order = false; });
  refused(problem, [](SolveOptions& o) { o.post_process = 10; });
  refused(problem, [](SolveOptions& o) { o.safeguard = SafeguardConstants{.slater = 0.1}; });
  refused(problem, [](SolveOptions& o) { o.constants = TheoryConstants{}; });
  refused(planted(99).problem, nothing);
  Problem other_start = problem, other_set = problem;
  refused(other_start.start_from(Vector::Constant(n, 0.1)), nothing);
  refused(other_set.within(Box(Vector::Constant(n, -1), Vector::Constant(n, 0.9))), nothing);
}

// Fingerprints tell problems apart that differ in one number only.
TEST(Fingerprint, DiffersByOneNumber) {
  const Matrix data = test::random_matrix(100, 3, 44), rows{{1, 2, 0}, {0, 0, 3}};
  const auto print = [](const Matrix& features, const Matrix& matrix, double bound) {
    Problem problem(LinearModel(DenseRows<double>(features), Vector::Ones(features.rows()), SquaredLoss{}));
    problem.subject_to(matrix, vec(-1, -1), vec(1, bound));
    return fingerprint(problem, {});
  };
  const std::uint64_t base = print(data, rows, 1);
  EXPECT_EQ(print(data, rows, 1), base);
  EXPECT_NE(print(data, rows, 1 + 1e-15), base);
  Matrix other = data;
  other(37, 1) += 1e-9;  // any sample, not only a few that are looked at
  EXPECT_NE(print(other, rows, 1), base);
  EXPECT_NE(print(data, Matrix{{1, 2, 1e-9}, {0, 0, 3}}, 1), base);
  EXPECT_NE(print(data, Matrix{{1, 0, 0}, {0, 2, 3}}, 1), base) << "the same numbers in other rows";
}

TEST(Checkpoint, UnwritablePlacesAreRefused) {
  const Problem problem = planted().problem;
  const SolveOptions options{
      .samples = 1000, .tolerance = 0, .checkpoint = "/no/such/folder/file", .checkpoint_seconds = 0};
  test::expect_contains(test::refusal([&] { solve(problem, options); }), "/no/such/folder/file");
}

}  // namespace
}  // namespace bridle
