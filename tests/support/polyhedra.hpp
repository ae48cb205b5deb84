// Random polyhedra with nonconvex models over them, and what must hold of every iterate of the second-order
// phase there.
#pragma once

#include <algorithm>
#include <cmath>

#include "bridle/certify/certify.hpp"
#include "bridle/core/random.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/problem.hpp"
#include "bridle/problem/sets/sets.hpp"
#include "bridle/second/improve.hpp"

namespace bridle::test {

inline const std::vector<Loss>& nonconvex_losses() {
  static const std::vector<Loss> losses{LogisticDifferenceLoss{}, SmoothedZeroOneLoss{}, CauchyLoss{},
                                        TukeyLoss{}};
  return losses;
}

// Polyhedron number k: 3 to 30 variables whose units differ by up to six orders of magnitude, bounds on some,
// up to twice as many rows, some equalities, some touched together at one point, one repeated. It has a
// point.
class RandomPolyhedron {
 public:
  explicit RandomPolyhedron(std::uint64_t number) : draws_(1000 + number, Purpose::generator) {}

  Problem with(const Loss& loss) {
    const Index n = 3 + whole(28), samples = 40 + whole(200), count = whole(2 * n + 1);
    const double spread = uniform() < 0.5 ? 0 : 3;
    Vector unit(n), inner(n), truth(n);
    for (Index j = 0; j < n; ++j) {
      unit[j] = std::pow(10.0, spread * (2 * uniform() - 1));
      inner[j] = normal() / unit[j];
      truth[j] = normal();
    }
    DenseRows<double> data(samples, n);
    Vector labels(samples);
    for (Index i = 0; i < samples; ++i) {
      for (Index j = 0; j < n; ++j) data(i, j) = uniform() < 0.6 ? normal() : 0;
      labels[i] = data.row(i).dot(truth) + normal();
      if (is_classification(loss)) labels[i] = labels[i] < 0 ? -1 : 1;
    }
    data = data * unit.asDiagonal();
    Problem out(LinearModel(data, labels, loss, 1e-3 * unit.cwiseAbs2()));
    Vector lower = Vector::Constant(n, -infinity), upper = Vector::Constant(n, infinity);
    for (Index j = 0; j < n; ++j) {
      if (uniform() < 0.5) lower[j] = inner[j] - (uniform() < 0.3 ? 0 : uniform() / unit[j]);
      if (uniform() < 0.5) upper[j] = inner[j] + uniform() / unit[j];
    }
    out.within(Box(lower, upper));
    if (count == 0) return out;
    std::vector<Eigen::Triplet<double>> entries;
    Vector low(count), high(count);
    Index equalities = 0;
    for (Index i = 0; i < count; ++i) {
      const bool again = i + 1 == count && i > 0;  // the last row is the first once more
      double activity = 0;
      if (again) {
        for (std::size_t k = 0, all = entries.size(); k < all && entries[k].row() == 0; ++k)
          entries.emplace_back(i, entries[k].col(), entries[k].value());
        low[i] = low[0];
        high[i] = high[0];
        continue;
      }
      for (Index j = 0; j < n; ++j) {
        if (j != i % n && uniform() > 0.3) continue;
        const double a = normal() * unit[j];
        entries.emplace_back(i, j, a);
        activity += a * inner[j];
      }
      const bool equality = uniform() < 0.2 && ++equalities < n / 2;
      const bool touched = uniform() < 0.3;
      low[i] = equality ? activity : uniform() < 0.5 ? -infinity : activity - uniform();
      high[i] = equality || touched ? activity : activity + uniform();
    }
    SparseRows rows(count, n);
    rows.setFromTriplets(entries.begin(), entries.end());
    out.subject_to(rows, low, high);
    return out;
  }

 private:
  double uniform() { return draws_.uniform(counter_++, 0); }
  double normal() {
    Vector one(2);
    draws_.fill_normal(one, (1ULL << 40) + counter_++);
    return one[0];
  }
  Index whole(Index below) {
    return static_cast<Index>(draws_.below(static_cast<std::uint64_t>(below), counter_++, 1));
  }

  Stream draws_;
  std::uint64_t counter_ = 0;
};

// What the phase did on one problem.
struct PhaseRecord {
  double rise = 0;         // the largest from one iterate to the next, relative
  double infeasible = 0;   // the largest violation, relative
  double above_start = 0;  // of the end, relative
  double error = infinity;
  second::End end = second::End::at_rest;
};

inline PhaseRecord watch_phase(const Problem& problem, const Vector& start, second::Path path) {
  PhaseRecord out;
  const Judge judge(problem);
  double first = infinity, before = infinity;
  second::Options options;
  options.path = path;
  options.visit = [&](const second::Visit& visit) {
    if (std::isinf(first)) first = visit.value;
    const double size = std::abs(visit.value) + std::abs(first);
    if (!std::isinf(before)) out.rise = std::max(out.rise, (visit.value - before) / size);
    before = visit.value;
    const Certificate there = judge(visit.x, visit.multipliers);
    out.infeasible = std::max({out.infeasible, there.feasibility.relative, there.set_distance.relative});
  };
  const second::Outcome outcome = second::improve(problem, {start, {}}, options);
  out.end = outcome.end;
  out.above_start = (outcome.value - first) / (std::abs(outcome.value) + std::abs(first));
  out.error = certify(problem, outcome.x, outcome.multipliers, {.improve_multipliers = true}).error();
  return out;
}

}  // namespace bridle::test
