#include "bridle/algorithms/representations/lazy_coordinates.hpp"

namespace bridle {
namespace {

// Two pairs, or a triple.
using TwoPairs = HalfPack;
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

// Mark and class of a triple.
struct Tag {
  int mark;
  Index of_class;
};
[[gnu::always_inline]] inline Tag tag_of(const double* triple) {
  const auto number = static_cast<unsigned>(static_cast<int>(triple[3]) - 1);
  return {static_cast<int>(number % marks), number / marks};
}

// What a triple with this mark has as its last number where there is one class.
[[gnu::always_inline]] inline void tag_pack(TwoBits& into, int now) {
  const HalfPack tag = {0, 0, 0, static_cast<double>(1 + now)};
  into = reinterpret_cast<TwoBits>(tag);
}

// With `both`, two readings of every triple; out has as many sums.
template <bool classes, bool both, class Row>
[[gnu::always_inline]] inline bool sum_triples(const double* triples, const Row& row, int now,
                                               const double* readings, const double* others, double* out) {
  HalfPack sum{}, other_sum{}, triple, reading, other;
  TwoBits tag, differ{};
  if constexpr (!classes) {
    load(reading, readings);
    if constexpr (both) load(other, others);
    tag_pack(tag, now);
  }
  int unlike = 0;
  for (Index e = 0; e < row.count; ++e) {
    const double* const at = triples + 4 * row.column(e);
    load(triple, at);
    if constexpr (classes) {
      const Tag found = tag_of(at);
      load(reading, readings + 4 * found.of_class);
      if constexpr (both) load(other, others + 4 * found.of_class);
      unlike |= found.mark ^ now;
    } else {
      differ |= reinterpret_cast<TwoBits>(triple) ^ tag;
    }
    triple *= row.values[e];
    sum += triple * reading;
    if constexpr (both) other_sum += triple * other;
  }
  out[0] = sum_of(sum);
  if constexpr (both) out[1] = sum_of(other_sum);
  return classes ? unlike == 0 : differ[3] == 0;
}

template <bool classes, class Row>
[[gnu::always_inline]] inline void subtract_from_triples(double* triples, const Row& row, double factor,
                                                         const double* steps) {
  HalfPack step, triple;
  load(step, steps);
  for (Index e = 0; e < row.count; ++e) {
    double* const at = triples + 4 * row.column(e);
    if constexpr (classes) load(step, steps + 4 * tag_of(at).of_class);
    load(triple, at);
    triple -= (factor * row.values[e]) * step;
    store(at, triple);
  }
}

template <class Row>
[[gnu::always_inline]] inline bool sum_readings_of(const ModeTriple* all, const Row& row, int now,
                                                   const ModeTriple* readings, const ModeTriple* others,
                                                   Index classes, double& out, double& other) {
  double both[2];
  const bool up_to_date = classes > 1
                              ? sum_triples<true, true>(all->at, row, now, readings->at, others->at, both)
                              : sum_triples<false, true>(all->at, row, now, readings->at, others->at, both);
  out = both[0];
  other = both[1];
  return up_to_date;
}
template <class Row>
[[gnu::always_inline]] inline bool sum_readings_of(const ModeTriple* all, const Row& row, int now,
                                                   const ModeTriple* readings, Index classes, double& out) {
  return classes > 1 ? sum_triples<true, false>(all->at, row, now, readings->at, nullptr, &out)
                     : sum_triples<false, false>(all->at, row, now, readings->at, nullptr, &out);
}
template <class Row>
[[gnu::always_inline]] inline void subtract_of(ModeTriple* all, const Row& row, double factor,
                                               const ModeTriple* steps, Index classes) {
  if (classes > 1)
    subtract_from_triples<true>(all->at, row, factor, steps->at);
  else
    subtract_from_triples<false>(all->at, row, factor, steps->at);
}

}  // namespace

BRIDLE_DISPATCH void advance_classes(Index count, double tau, const ModePair* rates, const ModePair* shares,
                                     ModePair* phi, ModePair* readings, ModePair* steps) {
  const auto numbers = [](auto* pairs) __attribute__((always_inline)) {
    return reinterpret_cast<const double*>(pairs);
  };
  const auto places = [](auto* pairs) __attribute__((always_inline)) {
    return reinterpret_cast<double*>(pairs);
  };
  TwoPairs rate, share, scale;
  Index k = 0;
  for (; k + 2 <= count; k += 2) {
    load(rate, numbers(rates + k)), load(share, numbers(shares + k)), load(scale, numbers(phi + k));
    scale *= 1 - tau * rate;
    store(places(phi + k), scale);
    share *= scale;
    store(places(readings + k), share);
    scale = tau / scale;
    store(places(steps + k), scale);
  }
  if (k == count) return;
  phi[k] *= 1 - tau * rates[k];
  readings[k] = shares[k] * phi[k];
  steps[k] = tau / phi[k];
}

BRIDLE_DISPATCH bool sum_products(const ModePair* all, const PackedRow& row, int now, ModePair& out) {
  const auto* const pairs = reinterpret_cast<const double*>(all);
  const double* const values = row.values;
  const std::uint32_t* const places = row.places;
  const TwoBits mark = {0, now, 0, now};
  TwoPairs one{}, two{}, pair, value;
  TwoBits differ{}, differ_too{};
  Index e = 0;
  for (; e + 4 <= row.count; e += 4) {
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
  for (; e < row.count; ++e) {
    const ModePair& last = at(pairs, places[e]);
    sum += values[e] * last;
    unlike |= mark_of(last) ^ now;
  }
  out = sum;
  return (unlike & 0xFF) == 0;
}

BRIDLE_DISPATCH void subtract(ModePair* all, const PackedRow& row, const ModePair& step, int now) {
  auto* const pairs = reinterpret_cast<double*>(all);
  const double* const values = row.values;
  const std::uint32_t* const places = row.places;
  const TwoPairs length = {step[0], step[1], step[0], step[1]};
  const TwoBits half = {0, 0x80, 0, 0x80}, kept = {-1, ~0xFFLL, -1, ~0xFFLL}, mark = {0, now, 0, now};
  TwoPairs pair, value;
  Index e = 0;
  for (; e + 2 <= row.count; e += 2) {
    ModePair &left = at(pairs, places[e]), &right = at(pairs, places[e + 1]);
    join(pair, left, right);
    twice(value, values + e);
    pair -= value * length;
    pair = reinterpret_cast<TwoPairs>(((reinterpret_cast<TwoBits>(pair) + half) & kept) | mark);
    left = __builtin_shufflevector(pair, pair, 0, 1);
    right = __builtin_shufflevector(pair, pair, 2, 3);
  }
  if (e < row.count) {
    ModePair& last = at(pairs, places[e]);
    last = marked(last - values[e] * step, now, 0);
  }
}

BRIDLE_DISPATCH bool sum_readings(const ModePair* all, const PackedRow& row, int now,
                                  const ModePair* readings, double& out) {
  const auto* const pairs = reinterpret_cast<const double*>(all);
  const auto* const table = reinterpret_cast<const double*>(readings);
  const double* const values = row.values;
  const std::uint32_t* const places = row.places;
  const std::uint8_t* const classes = row.classes;
  const TwoBits mark = {0, now, 0, now};
  TwoPairs one{}, two{}, pair, reading, value;
  TwoBits differ{}, differ_too{};
  Index e = 0;
  for (; e + 4 <= row.count; e += 4) {
    join(pair, at(pairs, places[e]), at(pairs, places[e + 1]));
    join(reading, at(table, classes[e]), at(table, classes[e + 1]));
    twice(value, values + e);
    one += value * reading * pair;
    compare(differ, pair, mark);
    join(pair, at(pairs, places[e + 2]), at(pairs, places[e + 3]));
    join(reading, at(table, classes[e + 2]), at(table, classes[e + 3]));
    twice(value, values + e + 2);
    two += value * reading * pair;
    compare(differ_too, pair, mark);
  }
  one += two;
  differ |= differ_too;
  ModePair sum = __builtin_shufflevector(one, one, 0, 1) + __builtin_shufflevector(one, one, 2, 3);
  long long unlike = differ[1] | differ[3];
  for (; e < row.count; ++e) {
    const ModePair& last = at(pairs, places[e]);
    sum += values[e] * at(table, classes[e]) * last;
    unlike |= mark_of(last) ^ now;
  }
  out = sum[0] + sum[1];
  return (unlike & 0xFF) == 0;
}

BRIDLE_DISPATCH void subtract(ModePair* all, const PackedRow& row, double factor, const ModePair* steps,
                              int now) {
  auto* const pairs = reinterpret_cast<double*>(all);
  const auto* const table = reinterpret_cast<const double*>(steps);
  const double* const values = row.values;
  const std::uint32_t* const places = row.places;
  const std::uint8_t* const classes = row.classes;
  const TwoBits half = {0, 0x80, 0, 0x80}, kept = {-1, ~0xFFLL, -1, ~0xFFLL}, mark = {0, now, 0, now};
  TwoPairs pair, step, value;
  Index e = 0;
  for (; e + 2 <= row.count; e += 2) {
    ModePair &left = at(pairs, places[e]), &right = at(pairs, places[e + 1]);
    join(pair, left, right);
    join(step, at(table, classes[e]), at(table, classes[e + 1]));
    twice(value, values + e);
    pair -= factor * value * step;
    pair = reinterpret_cast<TwoPairs>(((reinterpret_cast<TwoBits>(pair) + half) & kept) | mark);
    left = __builtin_shufflevector(pair, pair, 0, 1);
    right = __builtin_shufflevector(pair, pair, 2, 3);
  }
  if (e < row.count) {
    ModePair& last = at(pairs, places[e]);
    last = marked(last - factor * values[e] * at(table, classes[e]), now, 0);
  }
}

BRIDLE_DISPATCH bool sum_readings(const ModeTriple* all, const PackedRow& row, int now,
                                  const ModeTriple* readings, Index classes, double& out) {
  return sum_readings_of(all, row, now, readings, classes, out);
}
BRIDLE_DISPATCH bool sum_readings(const ModeTriple* all, const DrawnRow& row, int now,
                                  const ModeTriple* readings, Index classes, double& out) {
  return sum_readings_of(all, row, now, readings, classes, out);
}
BRIDLE_DISPATCH bool sum_readings(const ModeTriple* all, const PackedRow& row, int now,
                                  const ModeTriple* readings, const ModeTriple* others, Index classes,
                                  double& out, double& other) {
  return sum_readings_of(all, row, now, readings, others, classes, out, other);
}
BRIDLE_DISPATCH bool sum_readings(const ModeTriple* all, const DrawnRow& row, int now,
                                  const ModeTriple* readings, const ModeTriple* others, Index classes,
                                  double& out, double& other) {
  return sum_readings_of(all, row, now, readings, others, classes, out, other);
}
BRIDLE_DISPATCH void subtract(ModeTriple* all, const PackedRow& row, double factor, const ModeTriple* steps,
                              Index classes) {
  subtract_of(all, row, factor, steps, classes);
}
BRIDLE_DISPATCH void subtract(ModeTriple* all, const DrawnRow& row, double factor, const ModeTriple* steps,
                              Index classes) {
  subtract_of(all, row, factor, steps, classes);
}

}  // namespace bridle
