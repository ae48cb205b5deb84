#include "bench/speed/floor.hpp"

#include <cmath>

#include "bridle/core/dispatch.hpp"
#include "bridle/core/prefetch.hpp"

namespace bridle::bench {
namespace {

double slope(double t, double label) { return -label / (1 + std::exp(label * t)); }

void sparse_epoch(const LinearModel& model, const SparseView& data, const std::vector<Sample>& order,
                  double step, double* x) {
  const auto* starts = data.outerIndexPtr();
  const auto* columns = data.innerIndexPtr();
  const auto* values = data.valuePtr();
  for (std::size_t t = 0; t < order.size(); ++t) {
    if (t + 4 < order.size())
      for (auto e = starts[order[t + 4]]; e < starts[order[t + 4] + 1]; ++e)
        prefetch_scattered(x + columns[e]);
    if (t + 8 < order.size()) {
      prefetch(columns + starts[order[t + 8]], columns + starts[order[t + 8] + 1]);
      prefetch(values + starts[order[t + 8]], values + starts[order[t + 8] + 1]);
    }
    const auto i = static_cast<Index>(order[t]);
    double product = 0;
    for (auto e = starts[i]; e < starts[i + 1]; ++e) product += values[e] * x[columns[e]];
    const double move = step * slope(product, model.labels()[i]);
    for (auto e = starts[i]; e < starts[i + 1]; ++e) x[columns[e]] -= move * values[e];
  }
}

template <class Lanes, class Scalar>
[[gnu::always_inline]] inline void dense_loop(const LinearModel& model, const DenseView<Scalar>& data,
                                              const std::vector<Sample>& order, double step, double* x) {
  const Index n = data.cols(), whole = n / 16 * 16;
  Lanes left, right;
  for (std::size_t t = 0; t < order.size(); ++t) {
    if (t + 8 < order.size()) {
      const Scalar* next = data.data() + static_cast<Index>(order[t + 8]) * n;
      prefetch(next, n);
    }
    const auto i = static_cast<Index>(order[t]);
    const Scalar* a = data.data() + i * n;
    Lanes one{}, two{};
    for (Index j = 0; j < whole; j += 16) {
      load(left, a + j), load(right, x + j);
      one += left * right;
      load(left, a + j + 8), load(right, x + j + 8);
      two += left * right;
    }
    one += two;
    double product = sum_of(one);
    for (Index j = whole; j < n; ++j) product += a[j] * x[j];
    const double move = step * slope(product, model.labels()[i]);
    for (Index j = 0; j < whole; j += 8) {
      load(left, a + j), load(right, x + j);
      right -= move * left;
      store(x + j, right);
    }
    for (Index j = whole; j < n; ++j) x[j] -= move * a[j];
  }
}

BRIDLE_DISPATCH_BY_WIDTH(void dense_epoch(const LinearModel& model, const DenseView<double>& data,
                                          const std::vector<Sample>& order, double step, double* x),
                         dense_loop<Lanes>(model, data, order, step, x);)
BRIDLE_DISPATCH_BY_WIDTH(void float_epoch(const LinearModel& model, const DenseView<float>& data,
                                          const std::vector<Sample>& order, double step, double* x),
                         dense_loop<Lanes>(model, data, order, step, x);)

}  // namespace

void floor_epoch(const LinearModel& model, const std::vector<Sample>& order, double step, double* x) {
  const auto& storage = model.features().storage();
  if (const auto* data = std::get_if<SparseView>(&storage)) return sparse_epoch(model, *data, order, step, x);
  if (const auto* data = std::get_if<DenseView<double>>(&storage))
    return dense_epoch(model, *data, order, step, x);
  float_epoch(model, std::get<DenseView<float>>(storage), order, step, x);
}

}  // namespace bridle::bench
