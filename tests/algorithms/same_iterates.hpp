// Representations of an algorithm's iterate are the dense one, stored differently: agreement to rounding over
// thousands of steps.
#pragma once

#include <gtest/gtest.h>

#include "tests/algorithms/linear_case.hpp"

namespace bridle::test {

// Runs the dense representation, another one, and that again without settling in between.
inline void expect_the_dense_iterate(const StandardForm& form, const Stage& stage,
                                     const Representation& cheaper, Index batch,
                                     std::string_view name = "smoothed", double dual_bound = infinity) {
  const Iterate start = start_of(form);
  const MethodSettings settings{.batch = batch, .dual_bound = dual_bound};
  const auto dense = find_algorithm(name)->plain().create(form, stage, start, settings);
  const auto cheap = cheaper.create(form, stage, start, settings);
  const auto once = cheaper.create(form, stage, start, settings);
  const auto compare = [&](const Iterate& a) {
    const Iterate b = dense->snapshot();
    EXPECT_LE((a.x - b.x).norm(), 1e-12 * (1 + b.x.norm()));
    EXPECT_LE((a.z - b.z).norm(), 1e-12 * (1 + b.z.norm()));
    EXPECT_LE((a.y - b.y).norm(), 1e-12 * (1 + b.y.norm()));
    EXPECT_EQ(a.draws, b.draws);
    EXPECT_EQ(a.resets, b.resets);
    ASSERT_EQ(a.estimate.size(), b.estimate.size());
    EXPECT_LE((a.estimate - b.estimate).norm(), 1e-12 * (1 + b.estimate.norm()));
  };
  Iterate written;
  for (std::uint64_t t = 0; t < stage.iterations; t += 500) {
    for (const auto& method : {dense.get(), cheap.get(), once.get()}) method->run(stage, t, 500);
    compare(cheap->snapshot());
    cheap->settle(written);
    compare(written);
  }
  compare(once->snapshot());  // lazy: phi fell below its smallest value several times
  EXPECT_GT((dense->snapshot().x - start.x).norm(), 1e-2) << "nothing moved";
  EXPECT_EQ(dense->snapshot().resets > 0, dual_bound < infinity) << "the safeguard had nothing to do";
}

}  // namespace bridle::test
