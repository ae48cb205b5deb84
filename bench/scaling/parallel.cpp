// One run on made-up data in memory, by so many workers on so many threads, or by the ranks of mpirun: how
// long it takes and what it finds, as a line of JSON.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include <fmt/format.h>
#include <sys/time.h>

#include "bridle/core/error.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/core/tree_sum.hpp"
#include "bridle/mpi/session.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/budget.hpp"
#include "bridle/run/solve.hpp"

namespace bridle::bench {
namespace {

constexpr const char* usage =
    "usage: bench_parallel sparse|dense N n NONZEROS [KEY=VALUE...]\n"
    "keys: workers, threads, tolerance, epochs, loop (1: nothing but the loop), convex (1: logistic loss),\n"
    "      sorted (1: samples by label), seed, calibrate (1: what a pass and a message take, too),\n"
    "      split (1: each rank has the samples of its workers and no others)\n";

const Stream stream(7, Purpose::generator);

// Sample r of those that are made: order[r], or r.
Index number_of(Index r, const std::vector<Index>& order) {
  return order.empty() ? r : order[static_cast<std::size_t>(r)];
}

// Columns of sample i: rare and frequent ones, as words are.
std::vector<Index> columns_of(Index i, Index n, Index nonzeros) {
  std::vector<Index> out;
  for (Index k = 0; k < nonzeros; ++k) {
    const double u = stream.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(k));
    out.push_back(std::min(n - 1, static_cast<Index>(u * u * static_cast<double>(n))));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

struct Data {
  Features features;
  Vector labels;
};

double noisy_label(double score, Index i) {
  const double u = stream.uniform(static_cast<std::uint64_t>(i), 1U << 24);
  return score + 0.5 * std::log(u / (1 - u)) > 0 ? 1.0 : -1.0;
}

Data sparse_data(Index samples, Index n, Index nonzeros, const std::vector<Index>& order) {
  Vector truth(n), labels(samples);
  stream.fill_normal(truth, ~std::uint64_t{0});
  SparseRows rows(samples, n);
  rows.reserve(samples * nonzeros);
  for (Index r = 0; r < samples; ++r) {
    const Index i = number_of(r, order);
    rows.startVec(r);
    double score = 0;
    for (const Index j : columns_of(i, n, nonzeros)) {
      const double value = 1 / std::sqrt(static_cast<double>(nonzeros));
      rows.insertBack(r, j) = value;
      score += 2 * value * truth[j];
    }
    labels[r] = noisy_label(score, i);
  }
  rows.finalize();
  return {std::move(rows), std::move(labels)};
}

Data dense_data(Index samples, Index n, const std::vector<Index>& order) {
  Vector truth(n), labels(samples), row(n);
  stream.fill_normal(truth, ~std::uint64_t{0});
  truth *= 2 / std::sqrt(static_cast<double>(n));
  DenseRows<double> rows(samples, n);
  for (Index r = 0; r < samples; ++r) {
    const Index i = number_of(r, order);
    stream.fill_normal(row, static_cast<std::uint64_t>(i));
    rows.row(r) = row;
    labels[r] = noisy_label(truth.dot(row), i);
  }
  return {std::move(rows), std::move(labels)};
}

std::vector<Index> by_label(const Vector& labels) {
  std::vector<Index> out;
  for (const double label : {1.0, -1.0})
    for (Index i = 0; i < labels.size(); ++i)
      if (labels[i] == label) out.push_back(i);
  return out;
}

std::vector<Index> samples_of(const Shares& shares, Index samples) {
  std::vector<Index> out;
  for (Index i = first_of_share(samples, shares.first(), shares.count);
       i < first_of_share(samples, shares.end(), shares.count); ++i)
    out.push_back(i);
  return out;
}

// Processor seconds of a gradient of all samples in this process, and under mpirun seconds by the clock of a
// sum of 100 and of n numbers over the ranks; the least of several.
std::string calibration(const LinearModel& model, const Processes* ranks) {
  const auto processor = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const auto least_of = [](int times, const Stopwatch::Clock& clock, const auto& work) {
    double least = infinity;
    for (int k = 0; k < times; ++k) {
      const Stopwatch watch(clock);
      work();
      least = std::min(least, watch.seconds());
    }
    return least;
  };
  const Vector x = Vector::Zero(model.dimension());
  Vector gradient = x;
  std::string out =
      fmt::format(", \"pass\": {:.6f}", least_of(5, processor, [&] { model.mean_gradient(x, gradient); }));
  if (!ranks) return out;
  for (const auto& [name, size] : {std::pair{"100", Index{100}}, {"n", model.dimension()}}) {
    const Vector like = Vector::Ones(size);
    const double seconds = least_of(
        200, {}, [&] { sum_over_processes(*ranks, ranks->count(), std::vector<Vector>{like}, like); });
    out += fmt::format(", \"sum_of_{}\": {:.9f}", name, seconds);
  }
  return out;
}

// Where processor time goes, in and outside of what threads share, whatever else the machine does: every few
// milliseconds of it the thread that has used them up is asked.
class ProcessorTime {
 public:
  ProcessorTime() {
    std::signal(SIGPROF, [](int) { ++(detail::inside_parallel ? shared_ : alone_); });
    set_timer(1000);
  }
  ~ProcessorTime() {
    set_timer(0);
    seconds_ = static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
  }
  ProcessorTime(const ProcessorTime&) = delete;
  ProcessorTime& operator=(const ProcessorTime&) = delete;

  static double seconds() { return seconds_; }  // of all threads, when it was over
  static double share_alone() {
    return static_cast<double>(alone_) / std::max(1.0, static_cast<double>(shared_ + alone_));
  }

 private:
  static void set_timer(long microseconds) {
    const itimerval every{{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_PROF, &every, nullptr);
  }
  static inline std::atomic<long> shared_{0}, alone_{0};
  static inline double seconds_ = 0;
  std::clock_t begin_ = std::clock();
};

int main_of(int count, char** arguments) {
  if (count < 5) {
    fmt::print(stderr, usage);
    return 2;
  }
  std::map<std::string, double> said{{"threads", 1}, {"tolerance", 1e-4}, {"seed", 1}};
  for (int k = 5; k < count; ++k) {
    const std::string text = arguments[k];
    const auto at = text.find('=');
    if (at == std::string::npos) throw InputError("'" + text + "' is not KEY=VALUE");
    said[text.substr(0, at)] = std::atof(text.c_str() + at + 1);
  }
  const bool sparse = std::string(arguments[1]) == "sparse";
  const auto samples = static_cast<Index>(std::atof(arguments[2])),
             n = static_cast<Index>(std::atof(arguments[3])),
             nonzeros = static_cast<Index>(std::atof(arguments[4]));
  const MpiSession session(600);
  const auto make = [&](const std::vector<Index>& order) {
    const Index made = order.empty() ? samples : static_cast<Index>(order.size());
    return sparse ? sparse_data(made, n, nonzeros, order) : dense_data(made, n, order);
  };
  const Shares shares{static_cast<Index>(said["workers"]), session.processes()};
  const bool split = said["split"] > 0;
  Data data = make(split ? samples_of(shares, samples) : std::vector<Index>{});
  if (said["sorted"] > 0) data = make(by_label(data.labels));
  const Loss loss = said["convex"] > 0 ? Loss(LogisticLoss{}) : Loss(LogisticDifferenceLoss{});
  LinearModel model(std::move(data.features), std::move(data.labels), loss, Vector::Constant(n, 1e-4));
  if (split) model = model.in_shares(shares, samples);
  Problem problem(model);
  problem.subject_to(Matrix(Matrix::Ones(1, n)), Vector::Constant(1, -1.0), Vector::Constant(1, 1.0));

  use_threads(static_cast<unsigned>(said["threads"]));
  SolveOptions options{.epochs = said["epochs"],
                       .tolerance = said["tolerance"],
                       .seed = static_cast<std::uint64_t>(said["seed"]),
                       .workers = static_cast<Index>(said["workers"])};
  if (said["loop"] > 0) options.finish = options.second_order = false;
  options.team = session.processes();
  session.wait_for_all();
  const Stopwatch watch;
  const Result result = [&] {
    const ProcessorTime time;
    return solve(problem, options);
  }();
  const double seconds = watch.seconds();
  const std::string calibrated = said["calibrate"] > 0 ? calibration(model, options.team.get()) : "";
  if (session.rank() > 0) return 0;
  std::string phases;
  double full_gradients = 0, hessians = 0, products = 0;
  for (const Phase phase : all_phases) {
    const auto& spent = result.phases[phase];
    phases += fmt::format(", \"{}\": {:.4f}", to_string(phase), spent.seconds);
    full_gradients += spent.full_gradients;
    hessians += spent.hessians;
    products += spent.hessian_products;
  }
  phases += fmt::format(", \"full_gradients\": {:.0f}, \"hessians\": {:.0f}, \"hessian_products\": {:.0f}",
                        full_gradients, hessians, products);
  fmt::print(
      "{{\"workers\": {}, \"threads\": {}, \"ranks\": {}, \"seconds\": {:.4f}, \"error\": {:.3e}, "
      "\"objective\": "
      "{:.9f}, \"epochs\": {:.3f}, \"passes_of_judge\": {:.3f}, \"processor\": {:.3f}, "
      "\"alone\": {:.4f}{}{}}}\n",
      options.workers, said["threads"], session.ranks(), seconds, result.certificate.error(),
      result.objective(), result.samples / static_cast<double>(samples),
      result.certificate_samples / static_cast<double>(samples), ProcessorTime::seconds(),
      ProcessorTime::share_alone(), phases, calibrated);
  return 0;
}

}  // namespace
}  // namespace bridle::bench

int main(int count, char** arguments) {
  try {
    return bridle::bench::main_of(count, arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_parallel: {}\n", error.what());
    return 2;
  }
}
