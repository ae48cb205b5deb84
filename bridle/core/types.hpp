// The few types every room speaks: dense and sparse vectors and matrices, indices, infinity.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace bridle {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using VectorRef = Eigen::Ref<Vector>;
using ConstVectorRef = const Eigen::Ref<const Vector>&;

// Rows of a constraint matrix or of a data set: compressed sparse rows.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor>;

using Names = std::vector<std::string>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Infinite bounds are true infinities inside Bridle; files write them in many ways.
inline bool is_finite(double v) { return v > -infinity && v < infinity; }

}  // namespace bridle
