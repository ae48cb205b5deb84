#include "bench/speed/gradient.hpp"

#include <fmt/format.h>

#include "bridle/core/large_array.hpp"

#include "bench/speed/problems.hpp"
#include "bench/speed/timing.hpp"

namespace bridle::bench {
namespace {

// a = b + 3 c over three arrays of 200 MB, as in STREAM: bytes read and written a second.
template <class Array>
double triad_bytes_a_second(int rounds) {
  const std::size_t size = 25'000'000;
  Array a(size), b(size), c(size);
  std::fill_n(b.data(), size, 1.0);
  std::fill_n(c.data(), size, 2.0);
  std::vector<double> rates;
  for (int round = 0; round <= rounds; ++round) {
    const double seconds = seconds_of([&] {
      for (std::size_t k = 0; k < size; ++k) a[k] = b[k] + 3 * c[k];
    });
    if (a[static_cast<std::size_t>(round)] != 7) fmt::print("the triad is wrong\n");
    if (round > 0) rates.push_back(3 * 8 * static_cast<double>(size) / seconds);
  }
  return *std::max_element(rates.begin(), rates.end());
}

double data_bytes(const LinearModel& model) {
  const auto& storage = model.features().storage();
  if (const auto* sparse = std::get_if<SparseView>(&storage))
    return 12.0 * static_cast<double>(sparse->nonZeros());
  const double entries = static_cast<double>(model.sample_count()) * static_cast<double>(model.dimension());
  return (std::holds_alternative<DenseView<float>>(storage) ? 4 : 8) * entries;
}

}  // namespace

void gradient_throughput(int rounds) {
  const double triad = triad_bytes_a_second<std::vector<double>>(rounds);
  const double large_triad = triad_bytes_a_second<LargeArray<double>>(rounds);
  fmt::print(
      "| data | N | n | MB | GB/s | of the triad's {:.1f} GB/s | of its {:.1f} GB/s on large pages |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n",
      triad / 1e9, large_triad / 1e9);
  for (const Size& size :
       {Size{Storage::dense, 300'000, 100, 100}, Size{Storage::dense_float, 300'000, 100, 100},
        Size{Storage::dense, 30'000, 1'000, 1'000}, Size{Storage::dense_float, 30'000, 1'000, 1'000},
        Size{Storage::sparse, 300'000, 10'000, 50}}) {
    const LinearModel model = made_up_model(size);
    const Vector x = Vector::Constant(model.dimension(), 0.01);
    Vector gradient(model.dimension());
    std::vector<double> seconds;
    for (int round = 0; round <= rounds; ++round) {
      const double one = seconds_of([&] { model.mean_gradient(x, gradient); });
      if (round > 0) seconds.push_back(one);
    }
    const double rate = data_bytes(model) / least(seconds);
    fmt::print("| {} | {} | {} | {:.0f} | {:.2f} | {:.0f}% | {:.0f}% |\n", name_of(size.storage),
               size.samples, size.variables, data_bytes(model) / 1e6, rate / 1e9, 100 * rate / triad,
               100 * rate / large_triad);
  }
}

}  // namespace bridle::bench
