// Problems whose units, rows or corners are unlike those of ordinary ones.
#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/second/improve.hpp"
#include "bridle/second/region.hpp"
#include "bridle/second/units.hpp"

#include "tests/second/problems.hpp"
#include "tests/support/polyhedra.hpp"

namespace bridle {
namespace {

using second::Outcome;
using test::small_model;

double judged(const Problem& problem, const Outcome& outcome) {
  return certify(problem, outcome.x, outcome.multipliers).error();
}

// A column that is nowhere in the data has no curvature and no size but that of its rows: here a billion
// times that of the others.
Problem with_empty_columns(const LinearModel& model) {
  const Index n = model.dimension();
  SparseRows features = std::get<SparseView>(model.features().storage()).matrix();
  features.conservativeResize(features.rows(), n + 2);
  Problem out(LinearModel(features, model.labels(), model.loss()));
  SparseRows rows(3, n + 2);
  rows.insert(0, 1) = 1, rows.insert(0, n) = 1e-9;
  rows.insert(1, 2) = 2, rows.insert(1, n) = -1e-9, rows.insert(1, n + 1) = 3e-9;
  rows.insert(2, n + 1) = 1e-9;
  Vector lower = test::vec(0.5, 0.2, -infinity), upper = test::vec(0.5, infinity, -0.3);
  out.subject_to(rows, lower, upper);
  return out;
}

TEST(SecondOrderRobustness, ColumnsWithoutDataTakeTheirUnitsFromRows) {
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(SquaredLoss{}), Loss(CauchyLoss{})}) {
    const Problem problem = with_empty_columns(small_model(loss, test::Data::sparse));
    const auto region = second::Region::of(problem);
    const auto landscape = second::Landscape::of(problem);
    landscape->go_to(Vector::Zero(problem.dimension()));
    const Vector curvature = second::positive_curvature(problem, *landscape, *region);
    EXPECT_LT(curvature[12], 1e-12 * curvature[1]) << "as long as 1e9 times another";
    EXPECT_LT(curvature[13], 1e-12 * curvature[1]) << "through the row of the first";
    const Outcome outcome = second::improve(problem, {Vector::Zero(problem.dimension()), {}});
    EXPECT_LE(judged(problem, outcome), 1e-7) << loss_name(loss) << ": " << second::meaning(outcome.end);
  }
}

// Where nothing but the rows speaks of a size, bounds do; else variables are as bent as the others.
TEST(SecondOrderRobustness, UnitsWithoutRowsComeFromBounds) {
  SparseRows features =
      std::get<SparseView>(small_model(SquaredLoss{}, test::Data::sparse).features().storage()).matrix();
  const Index n = features.cols();
  features.conservativeResize(features.rows(), n + 2);
  Vector lower = Vector::Constant(n + 2, -infinity), upper = -lower;
  lower[n] = 0, upper[n] = 1e6;
  Problem problem(LinearModel(features, Vector::Ones(features.rows()), SquaredLoss{}));
  problem.within(Box(lower, upper));
  const auto landscape = second::Landscape::of(problem);
  landscape->go_to(Vector::Zero(n + 2));
  const Vector curvature = second::positive_curvature(problem, *landscape, *second::Region::of(problem));
  EXPECT_DOUBLE_EQ(curvature[n], 1e-12);
  EXPECT_DOUBLE_EQ(curvature[n + 1], curvature.head(n).maxCoeff());
}

// In units of the curvatures a simplex over common and rare columns is long along the rare ones; on a face of
// common ones little is left of its row, which must hold there all the same.
TEST(SecondOrderRobustness, RowsThatAreShortOnTheirFace) {
  for (const Loss& loss : {Loss(LogisticDifferenceLoss{}), Loss(SmoothedZeroOneLoss{})}) {
    const LinearModel model = small_model(loss, test::Data::sparse, 400, 20);
    const Index n = model.dimension();
    Vector unit = Vector::Ones(n);
    unit.segment(4, 14).setConstant(1e-4);
    const SparseRows features = std::get<SparseView>(model.features().storage()).matrix() * unit.asDiagonal();
    Problem problem(LinearModel(features, model.labels(), loss));
    problem.within(Product(n, {{index_range(0, n - 1), Simplex(n - 1)}}));
    const Outcome outcome = second::improve(problem, {Vector::Zero(n), {}});
    EXPECT_LE(judged(problem, outcome), 1e-8) << loss_name(loss) << ": " << second::meaning(outcome.end);
    EXPECT_LE(outcome.spent.iterations, 25) << loss_name(loss);
  }
}

// A sample of what bench/second does with 200 polyhedra.
TEST(SecondOrderRobustness, NeverRisesNorLeavesRandomPolyhedra) {
  for (std::uint64_t k = 0; k < 8; ++k) {
    const Loss& loss = test::nonconvex_losses()[k % 4];
    const Problem problem = test::RandomPolyhedron(k).with(loss);
    for (const auto path : {second::Path::dense, second::Path::products}) {
      const auto record = test::watch_phase(problem, Vector::Zero(problem.dimension()), path);
      EXPECT_LE(record.rise, 1e-14) << k << loss_name(loss);
      EXPECT_LE(record.infeasible, 1e-12) << k << loss_name(loss);
      EXPECT_LE(record.above_start, 0) << k << loss_name(loss);
      EXPECT_LE(record.error, 1e-6) << k << loss_name(loss) << second::meaning(record.end);
    }
  }
}

}  // namespace
}  // namespace bridle
