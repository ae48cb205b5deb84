#include "bridle/finish/normal_equations.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

namespace bridle {
namespace {

constexpr double small = 300;  // rows

using Triplets = std::vector<Eigen::Triplet<double>>;

// A sparse factor of A Theta A' itself, with a shift that keeps dependent rows harmless.
class ByRows final : public NormalEquations {
 public:
  explicit ByRows(const SparseColumns& matrix) : matrix_(matrix), transposed_(matrix.transpose()) {}

  bool factorise(const Vector& theta) override {
    SparseColumns normal = matrix_ * theta.asDiagonal() * transposed_;
    if (normal.rows() == 0) return true;
    // Relative to each row: the rows' own sizes differ by many orders of magnitude near the solution.
    const Vector diagonal = normal.diagonal();
    SparseColumns identity(normal.rows(), normal.rows());
    identity.setIdentity();
    for (const double shift : {1e-14, 1e-10}) {
      SparseColumns own = identity;
      own.diagonal() = (shift * diagonal).array() + 1e-15;
      const SparseColumns shifted = normal + own;
      if (!analysed_) factor_.analyzePattern(shifted);
      analysed_ = true;
      factor_.factorize(shifted);
      if (factor_.info() == Eigen::Success) return true;
    }
    return false;
  }

  Vector solve(const Vector& right) const override {
    return right.size() ? Vector(factor_.solve(right)) : right;
  }

 private:
  const SparseColumns& matrix_;
  SparseColumns transposed_;
  Eigen::SimplicialLDLT<SparseColumns> factor_;
  bool analysed_ = false;
};

// Which columns have one entry only, and which rows have such a column (a slack).
struct Slacks {
  std::vector<char> column, row;

  explicit Slacks(const SparseColumns& matrix)
      : column(static_cast<std::size_t>(matrix.cols()), 0), row(static_cast<std::size_t>(matrix.rows()), 0) {
    for (Index k = 0; k < matrix.cols(); ++k) {
      if (matrix.col(k).nonZeros() != 1) continue;
      column[static_cast<std::size_t>(k)] = 1;
      row[static_cast<std::size_t>(SparseColumns::InnerIterator(matrix, k).row())] = 1;
    }
  }
  bool is_column(Index k) const { return column[static_cast<std::size_t>(k)]; }
  bool has(Index i) const { return row[static_cast<std::size_t>(i)]; }
};

// Where the rows are many more than the variables. A slack only adds to the diagonal: A Theta A' = D + B T B'
// with the other columns B. With I the rows that have a slack, E the others and t = T B'y, what is factorised
// is
//   [ T^-1 + B_I' D_I^-1 B_I   B_E' ] [   t  ]   [ B_I' D_I^-1 r_I ]
//   [ B_E                       0   ] [ -y_E ] = [ r_E             ],      y_I = D_I^-1 (r_I - B_I t).
class ByColumns final : public NormalEquations {
 public:
  explicit ByColumns(const SparseColumns& matrix) : matrix_(matrix), slacks_(matrix) {
    for (Index k = 0; k < matrix.cols(); ++k)
      if (!slacks_.is_column(k)) others_.push_back(k);
    for (Index i = 0; i < matrix.rows(); ++i) (slacks_.has(i) ? with_slack_ : without_).push_back(i);
    std::vector<Index> place(static_cast<std::size_t>(matrix.rows()));
    for (std::size_t i = 0; i < with_slack_.size(); ++i)
      place[static_cast<std::size_t>(with_slack_[i])] = static_cast<Index>(i);
    for (std::size_t i = 0; i < without_.size(); ++i)
      place[static_cast<std::size_t>(without_[i])] = static_cast<Index>(i);
    Triplets with, without;
    for (std::size_t c = 0; c < others_.size(); ++c)
      for (SparseColumns::InnerIterator it(matrix, others_[c]); it; ++it)
        (slacks_.has(it.row()) ? with : without)
            .emplace_back(static_cast<Index>(c), place[static_cast<std::size_t>(it.row())], it.value());
    const auto columns = static_cast<Index>(others_.size());
    b_with_.resize(columns, static_cast<Index>(with_slack_.size()));
    b_with_.setFromTriplets(with.begin(), with.end());
    b_without_.resize(columns, static_cast<Index>(without_.size()));
    b_without_.setFromTriplets(without.begin(), without.end());
    dense_ = without_.empty();
  }

  bool factorise(const Vector& theta) override {
    Vector diagonal = Vector::Constant(matrix_.rows(), 1e-18);
    for (Index k = 0; k < matrix_.cols(); ++k)
      if (slacks_.is_column(k)) {
        const SparseColumns::InnerIterator it(matrix_, k);
        diagonal[it.row()] += theta[k] * it.value() * it.value();
      }
    inverse_diagonal_ = diagonal(with_slack_).cwiseInverse();
    const Vector inverse_theta = theta(others_).cwiseMax(1e-20).cwiseInverse();
    const SparseColumns weighted = b_with_ * inverse_diagonal_.asDiagonal();
    if (dense_) {
      Matrix reduced = Matrix::Zero(b_with_.rows(), b_with_.rows());
      for (Index i = 0; i < b_with_.cols(); ++i)
        for (SparseColumns::InnerIterator a(weighted, i); a; ++a)
          for (SparseColumns::InnerIterator b(b_with_, i); b && b.row() <= a.row(); ++b)
            reduced(a.row(), b.row()) += a.value() * b.value();
      reduced.diagonal() += inverse_theta;
      reduced.diagonal() *= 1 + 1e-14;
      dense_factor_.compute(reduced);
      return dense_factor_.info() == Eigen::Success;
    }
    const Index columns = b_with_.rows(), equalities = b_without_.cols();
    const SparseColumns corner = weighted * b_with_.transpose();
    Triplets entries;
    for (Index j = 0; j < columns; ++j) {
      for (SparseColumns::InnerIterator it(corner, j); it; ++it)
        entries.emplace_back(it.row(), j, it.value());
      entries.emplace_back(j, j, inverse_theta[j] + 1e-14);
    }
    for (Index i = 0; i < equalities; ++i) {
      for (SparseColumns::InnerIterator it(b_without_, i); it; ++it) {
        entries.emplace_back(it.row(), columns + i, it.value());
        entries.emplace_back(columns + i, it.row(), it.value());
      }
      entries.emplace_back(columns + i, columns + i, -1e-13);
    }
    SparseColumns reduced(columns + equalities, columns + equalities);
    reduced.setFromTriplets(entries.begin(), entries.end());
    if (!analysed_) factor_.analyzePattern(reduced);
    analysed_ = true;
    factor_.factorize(reduced);
    return factor_.info() == Eigen::Success;
  }

  Vector solve(const Vector& right) const override {
    const Vector right_with = right(with_slack_);
    const Vector pulled = b_with_ * inverse_diagonal_.cwiseProduct(right_with);
    Vector out(right.size()), t;
    if (dense_) {
      t = dense_factor_.solve(pulled);
    } else {
      Vector both(pulled.size() + b_without_.cols());
      both << pulled, right(without_);
      const Vector solved = factor_.solve(both);
      t = solved.head(pulled.size());
      out(without_) = -solved.tail(b_without_.cols());
    }
    out(with_slack_) = inverse_diagonal_.cwiseProduct(right_with - b_with_.transpose() * t);
    return out;
  }

 private:
  const SparseColumns& matrix_;
  Slacks slacks_;
  std::vector<Index> others_;                // columns that are no slacks
  std::vector<Index> with_slack_, without_;  // rows: I and E
  SparseColumns b_with_, b_without_;         // B_I' and B_E'
  Vector inverse_diagonal_;                  // D_I^-1
  bool dense_ = false, analysed_ = false;
  Eigen::LLT<Matrix> dense_factor_;
  Eigen::SimplicialLDLT<SparseColumns> factor_;
};

struct Choice {
  bool by_columns;
  double entries;  // at most
};
Choice choose(const SparseColumns& matrix) {
  const Slacks slacks(matrix);
  Vector in_row = Vector::Zero(matrix.rows());
  double by_rows = 0, others = 0;
  for (Index k = 0; k < matrix.cols(); ++k) {
    if (slacks.is_column(k)) continue;
    others += 1;
    by_rows += std::pow(static_cast<double>(matrix.col(k).nonZeros()), 2);
    for (SparseColumns::InnerIterator it(matrix, k); it; ++it) in_row[it.row()] += 1;
  }
  double squares = 0, without = 0, border = 0;
  for (Index i = 0; i < matrix.rows(); ++i) {
    if (slacks.has(i))
      squares += in_row[i] * in_row[i];
    else
      without += 1, border += in_row[i];
  }
  const auto rows = static_cast<double>(matrix.rows());
  by_rows = std::min(by_rows, rows * rows);
  // Without equalities the reduced system is held densely.
  const double corner = without == 0 ? others * others : std::min(squares, others * others);
  const double by_columns = corner + 2 * border + without * without;
  // The smaller order wins, because factors fill in, unless its entries are far more. By rows is more
  // accurate: small systems can afford it.
  const bool columns = rows > small && 1.5 * (others + without) < rows && by_columns < 10 * by_rows;
  return {columns, columns ? by_columns : by_rows};
}

}  // namespace

std::unique_ptr<NormalEquations> NormalEquations::of(const SparseColumns& matrix) {
  if (choose(matrix).by_columns) return std::make_unique<ByColumns>(matrix);
  return std::make_unique<ByRows>(matrix);
}

double normal_entries(const SparseColumns& matrix) { return choose(matrix).entries; }

}  // namespace bridle
