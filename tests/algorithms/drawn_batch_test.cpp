// Batches in pieces: the same samples in the same order, the same mean.
#include "bridle/algorithms/representations/drawn_batch.hpp"

#include <gtest/gtest.h>

#include "bridle/problem/objectives/linear_model.hpp"

#include "tests/algorithms/linear_case.hpp"

namespace bridle {
namespace {

struct Terms {
  Index dimension() const { return 2; }
  Index sample_count() const { return endless; }
  void gradient(ConstVectorRef x, Sample i, VectorRef out) const {
    out = x * (1 + std::sin(static_cast<double>(i)));
  }
};

struct Counting {
  Sample& next;
  int& pauses;
  Sample operator()() const { return next++; }
  void between_pieces() const { ++pauses; }
};

Vector mean_of(Index count, std::vector<std::size_t>& pieces, int& pauses) {
  const AnyObjective f = Terms{};
  DrawnBatch batch(f);
  Sample next = 7;
  Vector out(2);
  batch.mean(count, Counting{next, pauses}, out, [&](std::span<const Sample> samples, VectorRef g) {
    EXPECT_EQ(samples.back() + 1, next) << "in their order";
    pieces.push_back(samples.size());
    f.batch_gradient(Vector{{1.0, -3.0}}, samples, g);
  });
  EXPECT_EQ(next, 7 + static_cast<Sample>(count));
  return out;
}

TEST(DrawnBatch, IsCutWhereItIsLarge) {
  std::vector<std::size_t> pieces;
  int pauses = 0;
  const Vector small = mean_of(1024, pieces, pauses);
  EXPECT_EQ(pieces, std::vector<std::size_t>{1024});
  EXPECT_EQ(pauses, 0);
  pieces.clear();
  const Vector large = mean_of(2500, pieces, pauses);
  EXPECT_EQ(pieces, (std::vector<std::size_t>{1024, 1024, 452}));
  EXPECT_EQ(pauses, 2);
  for (const auto& [mean, count] : {std::pair{small, 1024}, std::pair{large, 2500}}) {
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += 1 + std::sin(7 + k);
    EXPECT_NEAR(mean[0], sum / count, 1e-13);
    EXPECT_NEAR(mean[1], -3 * sum / count, 1e-13);
  }
}

// A piece has work for some tenths of a second, and more than it takes to add up two gradients.
TEST(DrawnBatch, HasPiecesOfEqualCost) {
  const auto piece = [](Index samples, Index n, double share) {
    const Vector labels = Vector::Ones(samples);
    const Matrix data = test::random_sparse(samples, n, share, 1);
    return share < 1 ? samples_of_a_piece(LinearModel(SparseRows(data.sparseView()), labels, SquaredLoss{}))
                     : samples_of_a_piece(LinearModel(DenseRows<double>(data), labels, SquaredLoss{}));
  };
  EXPECT_EQ(piece(4, 10, 1), 65536);
  EXPECT_EQ(piece(4, 10'000, 1), 10'000);
  EXPECT_EQ(piece(10, 20'000, 0.05), 65536);
  const Index wide = 400'000;
  SparseRows one_number(1, wide);
  one_number.insert(0, 5) = 1;
  EXPECT_EQ(samples_of_a_piece(LinearModel(one_number, Vector::Ones(1), SquaredLoss{})), wide);
}

// What keeps every sample of a batch in memory until the step is taken leaves large batches to others.
TEST(DrawnBatch, LargeOnesAreForThePlainRepresentation) {
  const Problem problem = test::make_problem({""});
  const StandardForm form(problem, test::scaling_of({""}));
  const Stage stage{test::steps, {}, 100};
  const auto choice = [&](Index batch) {
    return find_algorithm("smoothed")->choose(form, stage, test::start_of(form), batch);
  };
  EXPECT_EQ(choice(65'536).representation->name, "lazy");
  EXPECT_EQ(choice(65'537).representation->name, "dense");
  EXPECT_NE(choice(65'537).why.find("batches of 65537 samples are taken in pieces"), std::string::npos);
}

}  // namespace
}  // namespace bridle
