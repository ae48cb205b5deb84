#include "bridle/algorithms/mode_pairs.hpp"

namespace bridle {
namespace {

[[gnu::always_inline]] inline ModePair up_to_date(const ModePair& pair, const MarkFactors& factors) {
  return pair * factors[mark_of(pair)];
}

}  // namespace

BRIDLE_DISPATCH ModePair pair_product(const ModePair* pairs, const MarkFactors& factors, const double* values,
                                      const std::int32_t* columns, Index count) {
  ModePair one{}, two{}, three{}, four{};
  Index e = 0;
  for (; e + 4 <= count; e += 4) {
    one += values[e] * up_to_date(pairs[columns[e]], factors);
    two += values[e + 1] * up_to_date(pairs[columns[e + 1]], factors);
    three += values[e + 2] * up_to_date(pairs[columns[e + 2]], factors);
    four += values[e + 3] * up_to_date(pairs[columns[e + 3]], factors);
  }
  for (; e < count; ++e) one += values[e] * up_to_date(pairs[columns[e]], factors);
  return (one + two) + (three + four);
}

BRIDLE_DISPATCH void move_pairs(ModePair* pairs, const MarkFactors& factors, const double* values,
                                const std::int32_t* columns, Index count, const ModePair& step, int now) {
  const ModePair length = step;
  for (Index e = 0; e < count; ++e) {
    ModePair& pair = pairs[columns[e]];
    pair = marked(up_to_date(pair, factors) - values[e] * length, now);
  }
}

}  // namespace bridle
