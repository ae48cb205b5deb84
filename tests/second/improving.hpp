// Second-order steps as the tests of this room take them: every iterate is looked at.
#pragma once

#include <cmath>

#include <gtest/gtest.h>

#include "bridle/certify/certify.hpp"
#include "bridle/second/improve.hpp"

namespace bridle::test {

// Improves and checks what must hold on any problem: every iterate is feasible, and f never rises.
inline second::Outcome improve(const Problem& problem, Vector start, second::Options options = {}) {
  double before = infinity;
  const Judge judge(problem);
  options.visit = [&](const second::Visit& visit) {
    EXPECT_LE(visit.value, before + 1e-13 * (1 + std::abs(visit.value)));
    before = visit.value;
    const Certificate there = judge(visit.x, visit.multipliers);
    EXPECT_LE(there.feasibility.relative, 1e-12) << there.feasibility.where;
    EXPECT_LE(there.set_distance.relative, 1e-12) << there.set_distance.where;
  };
  return second::improve(problem, {std::move(start), {}}, options);
}

inline double judged(const Problem& problem, const second::Outcome& outcome) {
  return certify(problem, outcome.x, outcome.multipliers).error();
}

inline second::Options by(second::Path path) {
  second::Options out;
  out.path = path;
  return out;
}

}  // namespace bridle::test
