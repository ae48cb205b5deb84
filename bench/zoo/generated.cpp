// Nonconvex quadratics and networks, from seeds.
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "bridle/core/random.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/objectives/quadratic.hpp"
#include "bridle/problem/sets/sets.hpp"

#include "bench/zoo/zoo.hpp"

namespace bridle::zoo {
namespace {

Vector normals(std::uint64_t seed, Index count, std::uint64_t counter) {
  Vector out(count);
  Stream(seed, Purpose::generator).fill_normal(out, counter);
  return out;
}
Matrix basis(std::uint64_t seed, Index rows, Index columns, std::uint64_t counter) {
  const Matrix gauss = normals(seed, rows * columns, counter).reshaped(rows, columns);
  return Matrix(Eigen::HouseholderQR<Matrix>(gauss).householderQ()).leftCols(columns);
}

enum class Shape { box, simplex, half_space, half_bounded };

struct Recipe {
  Index n, m;
  double condition;  // of A
  Index redundant;   // rows that repeat a mixture of others
  double negative;   // share of negative eigenvalues
  double noise;
  Shape shape;
};

AnySet make_set(Shape shape, std::uint64_t seed, Index n) {
  switch (shape) {
    case Shape::simplex:
      return Product(n, {{index_range(0, n / 2), Simplex(n / 2)},
                         {index_range(n / 2, n - n / 2),
                          Box(Vector::Constant(n - n / 2, -1), Vector::Constant(n - n / 2, 1))}});
    case Shape::half_space:
      return Product(n, {{index_range(0, n / 2), HalfSpace(normals(seed, n / 2, 70), 0.5)},
                         {index_range(n / 2, n - n / 2),
                          Box(Vector::Constant(n - n / 2, -1), Vector::Constant(n - n / 2, 1))}});
    case Shape::half_bounded:
      return Box(Vector::Constant(n, -1), Vector::Constant(n, 3));
    case Shape::box:
      break;
  }
  return Box(Vector::Constant(n, -1), Vector::Constant(n, 1));
}

Animal quadratic(const Recipe& r, std::uint64_t seed) {
  // Q with eigenvalues in [-1, 1]; the half space's directions are kept convex, so that there is a minimum.
  Vector eigenvalues(r.n);
  for (Index j = 0; j < r.n; ++j) {
    const double u = Stream(seed, Purpose::generator).uniform(static_cast<std::uint64_t>(j), 3);
    eigenvalues[j] = static_cast<double>(j) < r.negative * static_cast<double>(r.n) ? -u : 0.05 + 0.95 * u;
  }
  Matrix hessian;
  if (r.shape == Shape::half_space) {
    hessian = Matrix::Zero(r.n, r.n);
    hessian.topLeftCorner(r.n / 2, r.n / 2).diagonal() = eigenvalues.tail(r.n / 2).cwiseAbs();
    const Index rest = r.n - r.n / 2;
    const Matrix v = basis(seed, rest, rest, 1);
    hessian.bottomRightCorner(rest, rest) = v * eigenvalues.head(rest).asDiagonal() * v.transpose();
  } else {
    const Matrix v = basis(seed, r.n, r.n, 1);
    hessian = v * eigenvalues.asDiagonal() * v.transpose();
  }
  hessian = 0.5 * (hessian + Matrix(hessian.transpose()));
  Animal out{"quadratic",
             fmt::format("qp n{} m{} cond{:.0e} red{} neg{} noise{} set{}", r.n, r.m, r.condition,
                         r.redundant, r.negative, r.noise, static_cast<int>(r.shape)),
             Problem(Quadratic(hessian.sparseView(), normals(seed, r.n, 20), 0, {.additive = r.noise}))};
  out.problem.within(make_set(r.shape, seed, r.n));

  // Rows through a point of X, singular values spread over the condition number; a third are equalities.
  Matrix rows = basis(seed, r.n, r.m, 30).transpose();
  const Matrix mix = basis(seed, r.m, r.m, 40);
  Vector values(r.m);
  for (Index i = 0; i < r.m; ++i)
    values[i] =
        std::pow(r.condition, -static_cast<double>(i) / static_cast<double>(std::max<Index>(1, r.m - 1)));
  rows = mix * values.asDiagonal() * rows;
  Vector inside = 0.3 * normals(seed, r.n, 50);
  out.problem.set().project(inside);
  Vector lower = rows * inside, upper = lower;
  for (Index i = 0; i < r.m; ++i)
    if (i % 3 != 0) {
      lower[i] = i % 3 == 1 ? -infinity : lower[i] - 0.2 * rows.row(i).norm();
      upper[i] += 0.05 * rows.row(i).norm();
    }
  Matrix more(r.m + r.redundant, r.n);
  Vector more_lower(r.m + r.redundant), more_upper(r.m + r.redundant);
  more.topRows(r.m) = rows;
  more_lower.head(r.m) = lower;
  more_upper.head(r.m) = upper;
  for (Index k = 0; k < r.redundant; ++k) {  // sums of two equalities
    const Index a = 3 * (k % (r.m / 3)), b = 3 * ((k + 1) % (r.m / 3));
    more.row(r.m + k) = rows.row(a) + 2 * rows.row(b);
    more_lower[r.m + k] = more_upper[r.m + k] = lower[a] + 2 * lower[b];
  }
  out.problem.subject_to(more, more_lower, more_upper);
  out.samples_only = r.noise > 0;
  return out;
}

// Minimise a concave-plus-convex cost of flows over a random connected graph; conservation rows, one of them
// redundant.
Animal flow(Index nodes, double noise, std::uint64_t seed) {
  const Stream random(seed, Purpose::generator);
  std::vector<std::pair<Index, Index>> arcs;
  for (Index v = 1; v < nodes; ++v) {
    const auto parent =
        static_cast<Index>(random.below(static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(v), 5));
    arcs.emplace_back(parent, v);
    arcs.emplace_back(v, parent);
  }
  for (Index k = 0; k < 3 * nodes; ++k) {
    const auto a =
        static_cast<Index>(random.below(static_cast<std::uint64_t>(nodes), static_cast<std::uint64_t>(k), 6));
    const auto b =
        static_cast<Index>(random.below(static_cast<std::uint64_t>(nodes), static_cast<std::uint64_t>(k), 7));
    if (a != b) arcs.emplace_back(a, b);
  }
  const auto n = static_cast<Index>(arcs.size());
  Matrix rows = Matrix::Zero(nodes, n);
  for (Index k = 0; k < n; ++k) {
    rows(arcs[static_cast<std::size_t>(k)].first, k) += 1;
    rows(arcs[static_cast<std::size_t>(k)].second, k) -= 1;
  }
  Vector supply = normals(seed, nodes, 8);
  supply.array() -= supply.mean();
  Vector weight(n), centre(n), cost(n);
  for (Index k = 0; k < n; ++k) {
    cost[k] = 0.1 + random.uniform(static_cast<std::uint64_t>(k), 9);
    weight[k] = 0.5 * random.uniform(static_cast<std::uint64_t>(k), 10);
    centre[k] = 2 * random.uniform(static_cast<std::uint64_t>(k), 11);
  }
  Animal out{"network flow", fmt::format("flow v{} noise{}", nodes, noise),
             Problem(Valleys{cost, weight, centre, noise})};
  out.smoothness = 2 * weight.maxCoeff();
  out.problem.within(Box(Vector::Zero(n), Vector::Constant(n, 10)));
  out.problem.subject_to(rows, supply, supply);
  out.samples_only = noise > 0;
  return out;
}

// Copies of x at the nodes of a ring with chords, tied by equality rows; each node has its own nonconvex
// quadratic.
Animal consensus(Index nodes, Index dimension, double noise, std::uint64_t seed) {
  const Index n = nodes * dimension;
  Matrix hessian = Matrix::Zero(n, n);
  for (Index v = 0; v < nodes; ++v) {
    const Matrix b = basis(seed + 100, dimension, dimension, static_cast<std::uint64_t>(v));
    Vector values = normals(seed, dimension, 100 + static_cast<std::uint64_t>(v)).array() * 0.4 + 0.3;
    hessian.block(v * dimension, v * dimension, dimension, dimension) =
        b * values.asDiagonal() * b.transpose();
  }
  hessian = 0.5 * (hessian + Matrix(hessian.transpose()));
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v < nodes; ++v) edges.emplace_back(v, (v + 1) % nodes);
  for (Index v = 0; v + nodes / 2 < nodes; v += 3) edges.emplace_back(v, v + nodes / 2);
  Matrix rows = Matrix::Zero(static_cast<Index>(edges.size()) * dimension, n);
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (Index k = 0; k < dimension; ++k) {
      rows(static_cast<Index>(e) * dimension + k, edges[e].first * dimension + k) = 1;
      rows(static_cast<Index>(e) * dimension + k, edges[e].second * dimension + k) = -1;
    }
  Animal out{"consensus", fmt::format("consensus v{} d{} noise{}", nodes, dimension, noise),
             Problem(Quadratic(hessian.sparseView(), normals(seed, n, 60), 0, {.additive = noise}))};
  out.problem.within(Box(Vector::Constant(n, -2), Vector::Constant(n, 2)));
  out.problem.subject_to(rows, Vector::Zero(rows.rows()), Vector::Zero(rows.rows()));
  out.samples_only = noise > 0;
  return out;
}

// A logistic model on generated data: `spread` pulls the columns apart, so that single samples disagree the
// more with their mean the smaller it is; rows that keep neighbouring weights together.
Animal small_model(Index n, Index m, double spread, std::uint64_t seed) {
  constexpr Index samples = 2000;
  const Vector common = normals(seed, samples, 1);
  DenseRows<double> features(samples, n);
  for (Index j = 0; j < n; ++j)
    features.col(j) = spread * common + normals(seed, samples, 100 + static_cast<std::uint64_t>(j));
  const Vector score =
      features * normals(seed, n, 2) / std::sqrt(static_cast<double>(n)) + 0.5 * normals(seed, samples, 3);
  Matrix rows = Matrix::Zero(m, n);
  for (Index i = 0; i < m; ++i) {
    rows(i, i % n) = 1;
    rows(i, (i + 1 + i / n) % n) = -1;
  }
  Animal out{"between", fmt::format("model n{} m{} spread{}", n, m, spread),
             Problem(LinearModel(Features(features), score.cwiseSign(), LogisticLoss{}))};
  out.problem.within(Box(Vector::Constant(n, -5), Vector::Constant(n, 5)));
  out.problem.subject_to(rows, Vector::Constant(m, -0.1), Vector::Constant(m, 0.1));
  return out;
}

// The half's own seeds and the mark it leaves in the names.
std::vector<Animal> in_half(Half half, std::vector<Animal> animals) {
  for (Animal& animal : animals) {
    animal.half = half;
    animal.name += half == Half::developed ? " a" : " b";
  }
  return animals;
}
std::uint64_t seed_of(Half half, std::size_t k) { return k + (half == Half::developed ? 0 : 4000); }

}  // namespace

std::vector<Animal> quadratics(Half half) {
  using enum Shape;
  const std::vector<Recipe> recipes = {{20, 6, 1, 0, 0.3, 0, box},
                                       {20, 6, 1e2, 0, 0.3, 0.1, box},
                                       {50, 15, 1, 0, 0.3, 1, box},
                                       {50, 15, 1e2, 3, 0.3, 1, box},
                                       {50, 15, 1e4, 0, 0.3, 0, box},
                                       {50, 15, 1e4, 3, 0.3, 1, box},
                                       {50, 15, 1e6, 0, 0.3, 0, box},
                                       {50, 15, 1e6, 0, 0.3, 1, box},
                                       {80, 30, 1e2, 0, 0.1, 1, box},
                                       {80, 30, 1e2, 5, 0.6, 1, box},
                                       {80, 30, 1e4, 5, 0.6, 10, box},
                                       {80, 30, 1, 0, 0, 10, box},
                                       {40, 9, 1e2, 0, 0.3, 0, simplex},
                                       {40, 9, 1e2, 0, 0.3, 1, simplex},
                                       {40, 9, 1e4, 2, 0.6, 1, simplex},
                                       {40, 9, 1, 0, 0.6, 10, simplex},
                                       {40, 9, 1e2, 0, 0.3, 0, half_space},
                                       {40, 9, 1e2, 2, 0.3, 1, half_space},
                                       {60, 40, 1e2, 0, 0.3, 1, half_bounded},
                                       {60, 40, 1e4, 6, 0.3, 0, half_bounded},
                                       {120, 60, 1e4, 10, 0.3, 1, half_bounded}};
  std::vector<Animal> out;
  for (std::size_t k = 0; k < recipes.size(); ++k)
    out.push_back(quadratic(recipes[k], seed_of(half, 1000 + k)));
  return in_half(half, std::move(out));
}

std::vector<Animal> networks(Half half) {
  const auto seed = [&](std::size_t k) { return seed_of(half, k); };
  std::vector<Animal> out = {flow(20, 0, seed(1)),          flow(20, 1, seed(2)),
                             flow(60, 0, seed(3)),          flow(60, 1, seed(4)),
                             consensus(8, 5, 0, seed(11)),  consensus(8, 5, 1, seed(12)),
                             consensus(16, 10, 1, seed(13))};
  for (const Index m : {30, 60, 100}) {
    Animal drawn = quadratic({100, m, 10, 0, 0.3, 1, Shape::box}, seed(20 + static_cast<std::size_t>(m)));
    drawn.family = "rows drawn";
    drawn.name = "drawn " + drawn.name;
    drawn.algorithm = "safeguarded";
    out.push_back(std::move(drawn));
  }
  return in_half(half, std::move(out));
}

std::vector<Animal> between(Half half) {
  std::vector<Animal> out;
  for (const Index m : {4, 12, 30})
    for (const double spread : {0.3, 1.0, 3.0})
      out.push_back(small_model(20, m, spread, seed_of(half, 2000 + out.size())));
  return in_half(half, std::move(out));
}

}  // namespace bridle::zoo
