#include "bench/speed/problems.hpp"

#include <cmath>

#include "bridle/core/pages.hpp"
#include "bridle/problem/sets/sets.hpp"

namespace bridle::bench {
namespace {

const Stream stream(1, Purpose::generator);

SparseRows sparse_data(const Size& size) {
  SparseRows out(size.samples, size.variables);
  const auto entries = static_cast<std::size_t>(size.samples * size.nonzeros);
  out.reserve(static_cast<Index>(entries));
  ask_for_large_pages(out.valuePtr(), entries);  // as data from files does
  ask_for_large_pages(out.innerIndexPtr(), entries);
  std::vector<Index> columns(static_cast<std::size_t>(size.nonzeros));
  const double scale = 1 / std::sqrt(static_cast<double>(size.nonzeros));
  for (Index i = 0; i < size.samples; ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      columns[k] =
          static_cast<Index>(stream.below(static_cast<std::uint64_t>(size.variables),
                                          static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(k)));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    out.startVec(i);
    for (const Index j : columns)
      out.insertBack(i, j) = scale * stream.normal(static_cast<std::uint64_t>(i),
                                                   static_cast<std::uint32_t>(1 << 20 | (j & 0xFFFFF)));
    columns.resize(static_cast<std::size_t>(size.nonzeros));
  }
  out.finalize();
  return out;
}

template <class Scalar>
DenseRows<Scalar> dense_data(const Size& size) {
  DenseRows<Scalar> out(size.samples, size.variables);
  ask_for_large_pages(out.data(), static_cast<std::size_t>(out.size()));  // as data from files does
  Vector row(size.variables);
  for (Index i = 0; i < size.samples; ++i) {
    stream.fill_normal(row, static_cast<std::uint64_t>(i));
    out.row(i) = (row / std::sqrt(static_cast<double>(size.variables))).template cast<Scalar>();
  }
  return out;
}

Features data_of(const Size& size) {
  if (size.storage == Storage::sparse) return sparse_data(size);
  if (size.storage == Storage::dense) return dense_data<double>(size);
  return dense_data<float>(size);
}

}  // namespace

LinearModel made_up_model(const Size& size) {
  Vector labels(size.samples);
  for (Index i = 0; i < size.samples; ++i)
    labels[i] = stream.uniform(static_cast<std::uint64_t>(i), 1 << 22) < 0.5 ? -1 : 1;
  return {data_of(size), std::move(labels), LogisticLoss{}};
}

Problem made_up_problem(const LinearModel& model, Index rows) {
  Matrix matrix = Matrix::Zero(rows, model.dimension());
  Vector row(model.dimension());
  for (Index r = 0; r < rows; ++r) {
    row.setZero();
    for (Index i = 0; i < model.sample_count(); ++i)
      model.features().add_row(
          i,
          stream.normal(static_cast<std::uint64_t>(i), static_cast<std::uint32_t>((1 << 23) + r)) /
              static_cast<double>(model.sample_count()),
          row);
    matrix.row(r) = row.transpose();
  }
  Problem problem(model);
  problem.subject_to(matrix, Vector::Constant(rows, -0.001), Vector::Constant(rows, 0.001));
  return problem;
}

namespace {

struct ExtraRows {
  SparseRows matrix;
  Vector lower, upper;
};

// Entries (row, column, value).
ExtraRows extra_rows(Index count, Index columns, const std::vector<Eigen::Triplet<double>>& entries,
                     double lower, double upper) {
  SparseRows matrix(count, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return {std::move(matrix), Vector::Constant(count, lower), Vector::Constant(count, upper)};
}

// Of the kinds that have any; columns are spread over all there are.
ExtraRows extra_rows(Kind kind, Index columns) {
  std::vector<Eigen::Triplet<double>> entries;
  if (kind == Kind::signs) {
    for (Index k = 0; k < 50; ++k) entries.emplace_back(0, k * (columns / 50), 1.0);
    return extra_rows(1, columns, entries, -infinity, 1);
  }
  if (kind == Kind::monotone) {
    for (Index k = 0; k < 200; ++k) {
      entries.emplace_back(k, 2 * k * (columns / 400), 1.0);
      entries.emplace_back(k, (2 * k + 1) * (columns / 400), -1.0);
    }
    return extra_rows(200, columns, entries, -infinity, 0);
  }
  const Index count = kind == Kind::rows ? 1000 : 10'000;
  for (Index k = 0; k < 5 * count; ++k)
    entries.emplace_back(k / 5, k * (columns / (5 * count)),
                         stream.normal(static_cast<std::uint64_t>(k), 1 << 24));
  return extra_rows(count, columns, entries, -0.1, 0.1);
}

}  // namespace

Problem real_problem(const Size& size, Kind kind) {
  const LinearModel bare = made_up_model(size);
  const Vector ridge = kind == Kind::plain ? Vector() : Vector(Vector::Constant(size.variables, 1e-4));
  const LinearModel model(bare.features(), bare.labels(), bare.loss(), ridge);
  if (kind == Kind::plain || kind == Kind::ridge) return made_up_problem(model, 1);
  const Problem one_row = made_up_problem(model, 1);
  const ExtraRows extra = extra_rows(kind, size.variables);
  const Index count = 1 + extra.matrix.rows();
  SparseRows matrix(count, size.variables);
  matrix.reserve(one_row.rows().matrix.nonZeros() + extra.matrix.nonZeros());
  for (Index i = 0; i < count; ++i) {
    matrix.startVec(i);
    const SparseRows& from = i == 0 ? one_row.rows().matrix : extra.matrix;
    for (SparseRows::InnerIterator it(from, i == 0 ? 0 : i - 1); it; ++it)
      matrix.insertBack(i, it.col()) = it.value();
  }
  matrix.finalize();
  Vector lower(count), upper(count);
  lower << one_row.rows().lower, extra.lower;
  upper << one_row.rows().upper, extra.upper;
  Problem problem(model);
  problem.subject_to(matrix, lower, upper);
  if (kind == Kind::signs) {
    Vector least = Vector::Constant(size.variables, -infinity);
    for (Index k = 0; k < 50; ++k) least[k * (size.variables / 50)] = 0;
    problem.within(Box(least, Vector::Constant(size.variables, infinity)));
  }
  return problem;
}

}  // namespace bridle::bench
