#include "bridle/algorithms/mode_pairs.hpp"

namespace bridle {
namespace {

using TwoPairs __attribute__((vector_size(32))) = double;
using TwoBits __attribute__((vector_size(32))) = long long;

[[gnu::always_inline]] inline ModePair& at(double* pairs, std::uint32_t place) {
  return *reinterpret_cast<ModePair*>(pairs + place);
}
[[gnu::always_inline]] inline const ModePair& at(const double* pairs, std::uint32_t place) {
  return *reinterpret_cast<const ModePair*>(pairs + place);
}

// Two pairs side by side, and two values twice each.
[[gnu::always_inline]] inline void join(TwoPairs& into, const ModePair& left, const ModePair& right) {
  into = __builtin_shufflevector(left, right, 0, 1, 2, 3);
}
[[gnu::always_inline]] inline void twice(TwoPairs& into, const double* values) {
  ModePair both;
  std::memcpy(&both, values, sizeof both);
  into = __builtin_shufflevector(both, both, 0, 0, 1, 1);
}
[[gnu::always_inline]] inline void compare(TwoBits& differ, const TwoPairs& pairs, const TwoBits& mark) {
  differ |= reinterpret_cast<TwoBits>(pairs) ^ mark;
}

}  // namespace

BRIDLE_DISPATCH ModePair pair_product(const ModePair* all, const PairSelection& chosen, int now,
                                      bool& others) {
  const auto* const pairs = reinterpret_cast<const double*>(all);
  const double* const values = chosen.values;
  const std::uint32_t* const places = chosen.places;
  const TwoBits mark = {0, now, 0, now};
  TwoPairs one{}, two{}, pair, value;
  TwoBits differ{}, differ_too{};
  Index e = 0;
  for (; e + 4 <= chosen.count; e += 4) {
    join(pair, at(pairs, places[e]), at(pairs, places[e + 1]));
    twice(value, values + e);
    one += value * pair;
    compare(differ, pair, mark);
    join(pair, at(pairs, places[e + 2]), at(pairs, places[e + 3]));
    twice(value, values + e + 2);
    two += value * pair;
    compare(differ_too, pair, mark);
  }
  one += two;
  differ |= differ_too;
  ModePair sum = __builtin_shufflevector(one, one, 0, 1) + __builtin_shufflevector(one, one, 2, 3);
  long long unlike = differ[1] | differ[3];
  for (; e < chosen.count; ++e) {
    const ModePair& last = at(pairs, places[e]);
    sum += values[e] * last;
    unlike |= mark_of(last) ^ now;
  }
  others = (unlike & 0xFF) != 0;
  return sum;
}

void catch_up(ModePair* pairs, const PairSelection& chosen, const MarkFactors& factors, int now) {
  for (Index e = 0; e < chosen.count; ++e) {
    ModePair& pair = pairs[chosen.places[e] / 2];
    pair = marked(pair * factors[mark_of(pair)], now);
  }
}

BRIDLE_DISPATCH void move_pairs(ModePair* all, const PairSelection& chosen, const ModePair& step, int now) {
  auto* const pairs = reinterpret_cast<double*>(all);
  const double* const values = chosen.values;
  const std::uint32_t* const places = chosen.places;
  const TwoPairs length = {step[0], step[1], step[0], step[1]};
  const TwoBits half = {0, 0x80, 0, 0x80}, kept = {-1, ~0xFFLL, -1, ~0xFFLL}, mark = {0, now, 0, now};
  TwoPairs pair, value;
  Index e = 0;
  for (; e + 2 <= chosen.count; e += 2) {
    ModePair &left = at(pairs, places[e]), &right = at(pairs, places[e + 1]);
    join(pair, left, right);
    twice(value, values + e);
    pair -= value * length;
    pair = reinterpret_cast<TwoPairs>(((reinterpret_cast<TwoBits>(pair) + half) & kept) | mark);
    left = __builtin_shufflevector(pair, pair, 0, 1);
    right = __builtin_shufflevector(pair, pair, 2, 3);
  }
  if (e < chosen.count) {
    ModePair& last = at(pairs, places[e]);
    last = marked(last - values[e] * step, now);
  }
}

}  // namespace bridle
