#include "bridle/problem/losses/loss_block.hpp"

#include "bridle/problem/losses/lane_functions.hpp"

namespace bridle {
namespace {

[[gnu::always_inline]] inline void absolute(HalfPack& out, const HalfPack& a) { out = a < 0.0 ? -a : a; }

// log(1 + e^-m)
[[gnu::always_inline]] inline void softplus_of_minus(HalfPack& out, const HalfPack& m) {
  HalfPack size, small;
  absolute(size, m);
  exp_of_minus(small, size);
  log_of_one_plus(out, small);
  out += m < 0.0 ? -m : HalfPack{};
}

// s = 1 / (1 + e^m) and s (1 - s)
[[gnu::always_inline]] inline void sigmoid_of_minus(HalfPack& s, HalfPack& bend, const HalfPack& m) {
  HalfPack size, small;
  absolute(size, m);
  exp_of_minus(small, size);
  const HalfPack share = 1.0 / (1.0 + small);
  s = m < 0.0 ? share : small * share;
  bend = small * share * share;
}

// The losses with exponentials, four outputs at a time.
struct LogisticLanes {
  [[gnu::always_inline]] void value(HalfPack& v, const HalfPack& t, const HalfPack& label) const {
    const HalfPack m = t * label;
    softplus_of_minus(v, m);
  }
  [[gnu::always_inline]] void derivatives(HalfPack& slope, HalfPack& bend, const HalfPack& t,
                                          const HalfPack& label) const {
    const HalfPack m = t * label;
    sigmoid_of_minus(slope, bend, m);
    slope *= -label;
  }
};

struct LogisticDifferenceLanes {
  double shift;
  [[gnu::always_inline]] void value(HalfPack& v, const HalfPack& t, const HalfPack& label) const {
    const HalfPack m = t * label, shifted = m + shift;
    HalfPack second;
    softplus_of_minus(v, m);
    softplus_of_minus(second, shifted);
    v -= second;
  }
  [[gnu::always_inline]] void derivatives(HalfPack& slope, HalfPack& bend, const HalfPack& t,
                                          const HalfPack& label) const {
    const HalfPack m = t * label, shifted = m + shift;
    HalfPack second, second_bend;
    sigmoid_of_minus(slope, bend, m);
    sigmoid_of_minus(second, second_bend, shifted);
    slope = -label * (slope - second);
    bend -= second_bend;
  }
};

constexpr Index lanes_at_once = lanes / 2;

// Whole packs; the last few outputs are filled up with copies of the first.
template <class Lanes>
[[gnu::always_inline]] inline double sum_in_lanes(const Lanes& loss, const double* t, const double* labels,
                                                  Index count) {
  HalfPack sum = {}, output, label, v;
  Index i = 0;
  for (; i + lanes_at_once <= count; i += lanes_at_once) {
    load(output, t + i);
    load(label, labels + i);
    loss.value(v, output, label);
    sum += v;
  }
  double out = sum_of(sum);
  if (i < count) {
    double rest[lanes_at_once] = {}, rest_labels[lanes_at_once] = {};
    for (Index k = i; k < count; ++k) rest[k - i] = t[k], rest_labels[k - i] = labels[k];
    load(output, rest);
    load(label, rest_labels);
    loss.value(v, output, label);
    for (Index k = i; k < count; ++k) out += v[k - i];
  }
  return out;
}

template <class Lanes>
[[gnu::always_inline]] inline void derivatives_in_lanes(const Lanes& loss, const double* t,
                                                        const double* labels, Index count, double* slopes,
                                                        double* bends) {
  HalfPack output, label, slope, bend;
  Index i = 0;
  for (; i + lanes_at_once <= count; i += lanes_at_once) {
    load(output, t + i);
    load(label, labels + i);
    loss.derivatives(slope, bend, output, label);
    store(slopes + i, slope);
    store(bends + i, bend);
  }
  if (i < count) {
    double rest[lanes_at_once] = {}, rest_labels[lanes_at_once] = {};
    for (Index k = i; k < count; ++k) rest[k - i] = t[k], rest_labels[k - i] = labels[k];
    load(output, rest);
    load(label, rest_labels);
    loss.derivatives(slope, bend, output, label);
    for (Index k = i; k < count; ++k) slopes[k] = slope[k - i], bends[k] = bend[k - i];
  }
}

BRIDLE_DISPATCH double sum_logistic(const double* t, const double* labels, Index count) {
  return sum_in_lanes(LogisticLanes{}, t, labels, count);
}
BRIDLE_DISPATCH double sum_difference(double shift, const double* t, const double* labels, Index count) {
  return sum_in_lanes(LogisticDifferenceLanes{shift}, t, labels, count);
}
BRIDLE_DISPATCH void derive_logistic(const double* t, const double* labels, Index count, double* slopes,
                                     double* bends) {
  derivatives_in_lanes(LogisticLanes{}, t, labels, count, slopes, bends);
}
BRIDLE_DISPATCH void derive_difference(double shift, const double* t, const double* labels, Index count,
                                       double* slopes, double* bends) {
  derivatives_in_lanes(LogisticDifferenceLanes{shift}, t, labels, count, slopes, bends);
}

}  // namespace

double sum_of_losses(const Loss& loss, const double* t, const double* labels, Index count) {
  if (std::holds_alternative<LogisticLoss>(loss)) return sum_logistic(t, labels, count);
  if (const auto* difference = std::get_if<LogisticDifferenceLoss>(&loss))
    return sum_difference(difference->shift(), t, labels, count);
  return std::visit(
      [&](const auto& one) {
        double sum = 0;
        for (Index i = 0; i < count; ++i) sum += one.value(t[i], labels[i]);
        return sum;
      },
      loss);
}

void loss_derivatives(const Loss& loss, const double* t, const double* labels, Index count, double* slopes,
                      double* bends) {
  if (std::holds_alternative<LogisticLoss>(loss)) return derive_logistic(t, labels, count, slopes, bends);
  if (const auto* difference = std::get_if<LogisticDifferenceLoss>(&loss))
    return derive_difference(difference->shift(), t, labels, count, slopes, bends);
  std::visit(
      [&](const auto& one) {
        for (Index i = 0; i < count; ++i) {
          const double output = t[i];
          slopes[i] = one.slope(output, labels[i]);
          bends[i] = one.bend(output, labels[i]);
        }
      },
      loss);
}

}  // namespace bridle
