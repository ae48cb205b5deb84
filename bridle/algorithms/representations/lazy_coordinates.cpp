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

// Where the triple of an entry is, in doubles.
[[gnu::always_inline]] inline Index offset(const PackedRow& row, Index e) { return Index{2} * row.places[e]; }
[[gnu::always_inline]] inline Index offset(const DrawnRow& row, Index e) { return 4 * row.columns[e]; }

template <class Row>
[[gnu::always_inline]] inline bool sum_triples(const double* triples, const Row& row, int now, double* out) {
  const double mark = now + 1;
  HalfPack one{}, two{}, triple;
  TwoBits differ{}, differ_too{};
  const HalfPack due = {0, 0, 0, mark};
  Index e = 0;
  for (; e + 2 <= row.count; e += 2) {
    load(triple, triples + offset(row, e));
    one += row.values[e] * triple;
    differ |= reinterpret_cast<TwoBits>(triple) ^ reinterpret_cast<TwoBits>(due);
    load(triple, triples + offset(row, e + 1));
    two += row.values[e + 1] * triple;
    differ_too |= reinterpret_cast<TwoBits>(triple) ^ reinterpret_cast<TwoBits>(due);
  }
  if (e < row.count) {
    load(triple, triples + offset(row, e));
    one += row.values[e] * triple;
    differ |= reinterpret_cast<TwoBits>(triple) ^ reinterpret_cast<TwoBits>(due);
  }
  one += two;
  store(out, one);
  return (differ[3] | differ_too[3]) == 0;
}

template <class Row>
[[gnu::always_inline]] inline void subtract_from_triples(double* triples, const Row& row,
                                                         const double* step) {
  HalfPack length, triple;
  load(length, step);
  for (Index e = 0; e < row.count; ++e) {
    double* const at = triples + offset(row, e);
    load(triple, at);
    triple -= row.values[e] * length;
    store(at, triple);
  }
}

}  // namespace

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
    last = marked(last - values[e] * step, now);
  }
}

BRIDLE_DISPATCH bool sum_products(const ModeTriple* all, const PackedRow& row, int now, ModeTriple& out) {
  return sum_triples(all->at, row, now, out.at);
}
BRIDLE_DISPATCH bool sum_products(const ModeTriple* all, const DrawnRow& row, int now, ModeTriple& out) {
  return sum_triples(all->at, row, now, out.at);
}
BRIDLE_DISPATCH void subtract(ModeTriple* all, const PackedRow& row, const ModeTriple& step, int) {
  subtract_from_triples(all->at, row, step.at);
}
BRIDLE_DISPATCH void subtract(ModeTriple* all, const DrawnRow& row, const ModeTriple& step, int) {
  subtract_from_triples(all->at, row, step.at);
}

}  // namespace bridle
