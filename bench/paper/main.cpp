// Usage: bench_paper DATA_FOLDER TABLE_FOLDER [--quick] [QUESTION...]
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "bench/paper/bench.hpp"

namespace {

using bridle::paper::Bench;

struct Question {
  const char* name;
  void (*measure)(const Bench&);
};
constexpr Question questions[] = {
    {"descent", bridle::paper::measure_descent},
    {"lemmas", bridle::paper::measure_lemmas},
    {"rates", bridle::paper::measure_rates},
    {"constant_penalty", bridle::paper::measure_constant_penalty},
    {"ablations", bridle::paper::measure_ablations},
    {"safeguard", bridle::paper::measure_safeguard},
    {"post_processing", bridle::paper::measure_post_processing},
    {"rivals", bridle::paper::measure_rivals},
    {"stochastic_rows", bridle::paper::measure_stochastic_rows},
    {"errata", bridle::paper::measure_errata},
};

}  // namespace

int main(int count, char** arguments) {
  Bench bench;
  std::vector<std::string> names;
  for (int i = 3; i < count; ++i)
    if (std::strcmp(arguments[i], "--quick") == 0)
      bench.quick = true;
    else
      names.emplace_back(arguments[i]);
  if (count < 3) {
    std::fprintf(stderr, "usage: bench_paper DATA_FOLDER TABLE_FOLDER [--quick] [QUESTION...]\n");
    return 2;
  }
  bench.data = arguments[1];
  bench.tables = arguments[2];
  std::filesystem::create_directories(bench.data);
  std::filesystem::create_directories(bench.tables);
  const auto seconds_since = [](std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto processor_since = [](std::clock_t begin) {
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t start_clock = std::clock();
  for (const Question& question : questions) {
    if (!names.empty() && std::find(names.begin(), names.end(), question.name) == names.end()) continue;
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t clock = std::clock();
    question.measure(bench);
    std::printf("%-18s %6.1f s, %6.1f s of processor time\n", question.name, seconds_since(begin),
                processor_since(clock));
    std::fflush(stdout);
  }
  std::printf("all of it: %.1f minutes, %.1f minutes of processor time\n", seconds_since(start) / 60,
              processor_since(start_clock) / 60);
}
