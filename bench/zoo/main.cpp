// bench_zoo DATA OUT.csv [--budgets 1e4,1e5] [--epochs 5,30] [--methods LIST] [--seeds 3] [--family NAME]
//           [--half reported] [--problem NAME] [--events yes]
//
// Methods: automatic, first-order (automatic without second-order steps), defaults, theory, grid; and
// too-small, too-large: automatic with 0.02 and 50 times the true L.
//
// One line per run: family, problem, half, method, budget, epochs, seed, status, error, objective, violation
// relative to the rows, seconds. --epochs instead of --budgets is for data sets. A run's result does not
// depend on the number of threads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>

#include <Eigen/QR>
#include <fmt/format.h>

#include "bridle/certify/certify.hpp"
#include "bridle/core/error.hpp"
#include "bridle/run/solve.hpp"

#include "bench/in_parallel.hpp"
#include "bench/zoo/zoo.hpp"

namespace {

using namespace bridle;
using zoo::Animal;

// One published implementation's defaults.
constexpr Parameters published{.tau = .01, .eta = .05, .beta = .5, .mu = 2, .rho = 1, .alpha = 1};

double measured_curvature(const Result& result) {
  for (const auto& reason : result.reasons)
    if (reason.symbol == "L") return reason.value;
  return 1;
}

bool corrected(const Result& result) {
  return std::any_of(result.events.begin(), result.events.end(), [](const std::string& event) {
    return event.find("does not fit the measured curvature") != std::string::npos;
  });
}

struct Outcome {
  Result result;
  double error = infinity;
  Certificate certificate = {};  // by the judge who knows the mean
};

Outcome run(const Animal& animal, const SolveOptions& options) {
  Outcome out{solve(animal.as_the_solver_sees_it(), options)};
  // The last word is the judge's, who knows the mean.
  out.certificate = certify(animal.problem, out.result.x, out.result.y,
                            {.improve_multipliers = true, .seed = options.seed + 77});
  out.error = out.certificate.error();
  return out;
}

// Dimension of the face that x is on: directions in which neither a bound nor a row that holds with equality
// stops a little move.
Index directions_left(const Problem& problem, const Vector& x) {
  const auto bounds = problem.set().bounds();
  if (!bounds) return problem.dimension();
  const auto at = [](double a, double b) { return std::abs(a - b) <= 1e-7 * (1 + std::abs(b)); };
  std::vector<Index> free, active;
  for (Index j = 0; j < x.size(); ++j)
    if (!at(x[j], bounds->lower[j]) && !at(x[j], bounds->upper[j])) free.push_back(j);
  const Rows& rows = problem.rows();
  const Vector activity = rows.matrix * x;
  for (Index i = 0; i < rows.count(); ++i)
    if (at(activity[i], rows.lower[i]) || at(activity[i], rows.upper[i])) active.push_back(i);
  if (free.empty() || active.empty()) return static_cast<Index>(free.size());
  const Matrix face = Matrix(rows.matrix)(active, free);
  return static_cast<Index>(free.size()) - Eigen::ColPivHouseholderQR<Matrix>(face).rank();
}

SolveOptions base(const Animal& animal, double budget, std::uint64_t seed) {
  SolveOptions options;
  options.samples = budget;
  options.tolerance = 1e-8;  // what lies below is not compared
  options.seed = seed;
  options.algorithm = animal.algorithm;
  return options;
}

// The rule's loop with other ratios: the best of them on one seed, run again on fresh ones. Without noise a
// decay only loses; with noise the two shapes that the rule itself uses.
std::vector<GivenParameters> grid(double curvature, bool noise) {
  std::vector<GivenParameters> out;
  for (const double factor : {0.1, 0.3, 1.0, 3.0, 10.0})
    for (const double penalty : {3.0, 20.0})
      for (const Decay decay : {Decay::geometric, Decay::cosine}) {
        const double L = factor * curvature, a = L * (3 + penalty);
        GivenParameters g;
        g.parameters = {
            .tau = 1 / a, .eta = 0.75 * a, .beta = 2 * L / a, .mu = 2 * L, .rho = penalty * L, .alpha = 1};
        g.metric = MetricKind::cholesky;
        if (noise) g.schedule = {decay, 0, 1, 1e-3};
        if (noise || decay == Decay::cosine) out.push_back(g);
      }
  return out;
}

struct Job {
  const Animal* animal;
  std::string method;
  double budget, epochs;
  int seeds;
};

class Table {
 public:
  // `events`: what happened in a run is told on standard error.
  Table(const std::string& path, bool events) : file_(std::fopen(path.c_str(), "w")), events_(events) {
    if (!file_) throw InputError(path, 0, "cannot be written");
    std::fputs(
        "family,problem,half,method,budget,epochs,seed,status,error,objective,violation,seconds,corrected\n",
        file_);
  }
  ~Table() { std::fclose(file_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void line(const Job& job, std::uint64_t seed, const Outcome& o, double seconds) {
    const std::lock_guard lock(mutex_);
    const Certificate& c = o.result.certificate;
    fmt::print(file_, "{},{},{},{},{:.0f},{},{},{},{:.6e},{:.10g},{:.3e},{:.3f},{}\n", job.animal->family,
               job.animal->name, job.animal->half == zoo::Half::reported ? "reported" : "developed",
               job.method, job.budget, job.epochs, seed, to_string(o.result.status), o.error,
               o.result.objective(), c.feasibility.relative, seconds, corrected(o.result) ? 1 : 0);
    std::fflush(file_);
    if (!events_) return;
    fmt::print(stderr, "{} {} seed {}: {:.3e} (stationarity {:.3e} at {}), on a face of dimension {}\n",
               job.animal->name, job.method, seed, o.error, o.certificate.stationarity.relative,
               o.certificate.stationarity.where, directions_left(job.animal->problem, o.result.x));
    for (const auto& reason : o.result.reasons)
      fmt::print(stderr, "  {} = {:.4g}: {}\n", reason.symbol, reason.value, reason.why);
    for (const auto& event : o.result.events) fmt::print(stderr, "  {}\n", event);
  }

 private:
  std::FILE* file_;
  bool events_;
  std::mutex mutex_;
};

Outcome run_method(const Job& job, std::uint64_t seed, const GivenParameters* choice) {
  SolveOptions options = base(*job.animal, job.budget, seed);
  if (job.animal->infeasible) options.tolerance = 1e-4;
  if (job.method == "first-order") options.second_order = false;
  if (job.method == "defaults") {
    options.source = ParameterSource::given;
    options.given = GivenParameters{published, {}, MetricKind::identity};
    options.finish = false;
  } else if (job.method == "too-small" || job.method == "too-large") {
    options.curvature =
        (job.method == "too-small" ? 0.02 : 50) * job.animal->problem.objective().smoothness().value_or(1);
  } else if (job.method == "theory") {
    options.source = ParameterSource::theory;
    options.finish = false;
  } else if (choice) {
    options.source = ParameterSource::given;
    options.given = *choice;
  }
  return run(*job.animal, options);
}

// The grid is searched with the loop alone where the polish would hide the differences at great length.
GivenParameters winner_of_grid(const Job& job) {
  const Outcome probe = run(*job.animal, base(*job.animal, std::min(job.budget, 1e4), 1000));
  const bool noise = !job.animal->problem.objective().deterministic();
  std::optional<GivenParameters> winner;
  double best = infinity;
  for (const auto& candidate : grid(measured_curvature(probe.result), noise)) {
    SolveOptions options = base(*job.animal, job.budget, 1000);
    options.source = ParameterSource::given;
    options.given = candidate;
    options.finish = noise;
    const double error = run(*job.animal, options).error;
    if (error < best || !winner) {
      best = error;
      winner = candidate;
    }
  }
  return *winner;
}

void perform(const Job& job, Table& table) {
  std::optional<GivenParameters> winner;
  if (job.method == "grid") winner = winner_of_grid(job);
  for (int k = 0; k < job.seeds; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t seed = 1 + static_cast<std::uint64_t>(k);
    const Outcome outcome = run_method(job, seed, winner ? &*winner : nullptr);
    table.line(job, seed, outcome,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 3)
    throw InputError(
        "usage: bench_zoo DATA OUT.csv [--budgets LIST] [--epochs LIST] [--methods LIST] [--seeds N] "
        "[--family "
        "NAME] [--half NAME] [--problem NAME] [--events yes]");
  std::vector<std::string> budgets{"1e5"}, methods{"automatic"}, epochs;
  std::string family, half, problem;
  bool events = false;
  int seeds = 3;
  for (int k = 3; k + 1 < count; k += 2) {
    const std::string option = arguments[k], value = arguments[k + 1];
    if (option == "--budgets")
      budgets = split(value);
    else if (option == "--epochs")
      epochs = split(value);
    else if (option == "--half")
      half = value;
    else if (option == "--methods")
      methods = split(value);
    else if (option == "--seeds")
      seeds = std::stoi(value);
    else if (option == "--family")
      family = value;
    else if (option == "--problem")
      problem = value;
    else if (option == "--events")
      events = value == "yes";
    else
      throw InputError("unknown option " + option);
  }
  const std::vector<Animal> animals = zoo::all(arguments[1]);
  std::vector<Job> jobs;
  for (const auto& budget : epochs.empty() ? budgets : epochs)
    for (const auto& animal : animals) {
      const Index terms = animal.problem.objective().sample_count();
      if (!family.empty() && animal.family != family) continue;
      if (!problem.empty() && animal.name != problem) continue;
      if (!half.empty() && (animal.half == zoo::Half::reported) != (half == "reported")) continue;
      if (!epochs.empty() && terms < 2) continue;
      for (const auto& method : methods) {
        // Rows seen through draws know no grid of the whole-row loop, and a twin is asked for its status
        // only.
        if (method != "automatic" && method != "first-order" &&
            (animal.infeasible || (method == "grid" && animal.algorithm != "smoothed")))
          continue;
        const bool once = terms == 1 || animal.infeasible;
        const double number = std::stod(budget);
        jobs.push_back({&animal, method, epochs.empty() ? number : number * static_cast<double>(terms),
                        epochs.empty() ? 0 : number, once ? 1 : seeds});
      }
    }
  Table table(arguments[2], events);
  in_parallel(jobs.size(), [&](std::size_t i) {
    try {
      perform(jobs[i], table);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{} {}: {}\n", jobs[i].animal->name, jobs[i].method, error.what());
    }
  });
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_zoo: {}\n", error.what());
  return 2;
}
