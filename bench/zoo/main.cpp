// bench_zoo DATA OUT.csv [--budgets 1e4,1e5] [--epochs 5,30] [--methods LIST] [--seeds 3] [--family NAME]
//           [--half reported] [--problem NAME] [--events yes]
//
// Methods: whose parameters, /how far the run may go, /in which order samples are drawn.
//   automatic, published, theory, grid; too-small, too-large: automatic with 0.02 and 50 times the true L;
//   mu4-rho20 and the like: the loop of the stiff regime with these multiples of L, constant steps, beta =
//   tau mu/2 /loop: the loop's best; /polish: and the closing polish; neither: and second-order steps where
//   they apply /iid: independent draws; otherwise finite sums are reshuffled every epoch
//
// One line per run: family, problem, half, method, budget, epochs, seed, status, error, objective, violation
// relative to the rows, seconds, which phase found the point. --epochs instead of --budgets is for data sets.
// A run's result does not depend on the number of threads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>

#include <Eigen/Eigenvalues>
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

// The defaults of humancompatible-train 0.3.2, class SSLALM: lr, dual_lr, beta, mu, rho and dual_bound.
constexpr Parameters published{.tau = .05, .eta = .05, .beta = .5, .mu = 2, .rho = 1, .alpha = 1};
constexpr double published_dual_bound = 100;  // heeded by algorithms that have the paper's dual safeguard

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

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(by, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

struct Method {
  std::string name, parameters;
  bool polish = true, second_order = true, independent = false;

  explicit Method(const std::string& said) : name(said) {
    const auto words = split(said, '/');
    parameters = words.front();
    for (std::size_t k = 1; k < words.size(); ++k) {
      if (words[k] == "loop")
        polish = second_order = false;
      else if (words[k] == "polish")
        second_order = false;
      else if (words[k] == "iid")
        independent = true;
      else
        throw InputError("unknown method " + said);
    }
  }
};

// The loop of the stiff regime with other multiples of L for mu and rho; nothing where the name is no such.
std::optional<GivenParameters> multiples(const std::string& name, double L) {
  double smoothing = 0, penalty = 0;
  if (std::sscanf(name.c_str(), "mu%lf-rho%lf", &smoothing, &penalty) != 2) return {};
  const double mu = smoothing * L, rho = penalty * L, a = L + mu + rho;
  GivenParameters out;
  out.parameters = {.tau = 1 / a, .eta = 0.75 * a, .beta = 0.5 * mu / a, .mu = mu, .rho = rho, .alpha = 1};
  out.metric = MetricKind::cholesky;
  return out;
}

struct Job {
  const Animal* animal;
  Method method;
  double budget, epochs;
  int seeds;
};

class Table {
 public:
  // `events`: what happened in a run is told on standard error.
  Table(const std::string& path, bool events) : file_(std::fopen(path.c_str(), "w")), events_(events) {
    if (!file_) throw InputError(path, 0, "cannot be written");
    std::fputs(
        "family,problem,half,method,budget,epochs,seed,status,error,objective,violation,seconds,corrected,"
        "found\n",
        file_);
  }
  ~Table() { std::fclose(file_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void line(const Job& job, std::uint64_t seed, const Outcome& o, double seconds) {
    const std::lock_guard lock(mutex_);
    const Certificate& c = o.result.certificate;
    fmt::print(file_, "{},{},{},{},{:.0f},{},{},{},{:.6e},{:.10g},{:.3e},{:.3f},{},{}\n", job.animal->family,
               job.animal->name, job.animal->half == zoo::Half::reported ? "reported" : "developed",
               job.method.name, job.budget, job.epochs, seed, to_string(o.result.status), o.error,
               o.result.objective(), c.feasibility.relative, seconds, corrected(o.result) ? 1 : 0,
               to_string(o.result.found_by));
    std::fflush(file_);
    if (!events_) return;
    fmt::print(stderr, "{} {} seed {}: {:.3e} (stationarity {:.3e} at {}), on a face of dimension {}\n",
               job.animal->name, job.method.name, seed, o.error, o.certificate.stationarity.relative,
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

// The theory's constants as far as the bench knows them: L_f of the mean, and sbar as if X were the whole
// space.
TheoryConstants theory_constants_of(const Animal& animal) {
  const Rows& rows = animal.problem.rows();
  Matrix gram = Matrix(rows.matrix * SparseRows(rows.matrix.transpose()));
  for (Index i = 0; i < rows.count(); ++i)
    if (!rows.is_equality(i)) gram(i, i) += 1;  // its slack
  const Vector squares = Eigen::SelfAdjointEigenSolver<Matrix>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  const double largest = squares.maxCoeff();
  double smallest = largest;
  for (const double square : squares)
    if (square > 1e-12 * largest) smallest = std::min(smallest, square);
  TheoryConstants out;
  out.smoothness = out.mean_smoothness = animal.problem.objective().smoothness().value_or(animal.smoothness);
  out.row_norm = std::sqrt(largest);
  out.error_bound = unconstrained_error_bound(out.smoothness, theory_mu(out), std::sqrt(smallest));
  return out;
}

Outcome run_method(const Job& job, std::uint64_t seed, const GivenParameters* choice) {
  SolveOptions options = base(*job.animal, job.budget, seed);
  if (job.animal->infeasible) options.tolerance = 1e-4;
  options.finish = job.method.polish;
  options.second_order = job.method.second_order;
  if (job.method.independent) options.sampling = Sampling::independent;
  const std::string& parameters = job.method.parameters;
  if (parameters == "published") {
    options.source = ParameterSource::given;
    options.given = GivenParameters{published, {}, MetricKind::identity};
    options.dual_bound = published_dual_bound;
  } else if (parameters == "too-small" || parameters == "too-large") {
    options.curvature =
        (parameters == "too-small" ? 0.02 : 50) * job.animal->problem.objective().smoothness().value_or(1);
  } else if (parameters == "theory") {
    options.source = ParameterSource::theory;
    options.constants = theory_constants_of(*job.animal);
    // M_y of rows that are drawn takes a strictly feasible point, which nobody knows here: it is given.
    if (job.animal->algorithm != "smoothed") options.dual_bound = published_dual_bound;
  } else if (choice) {
    options.source = ParameterSource::given;
    options.given = *choice;
  } else if (parameters != "automatic") {
    throw InputError("unknown method " + job.method.name);
  }
  return run(*job.animal, options);
}

double probed_curvature(const Job& job) {
  return measured_curvature(run(*job.animal, base(*job.animal, std::min(job.budget, 1e4), 1000)).result);
}

// The grid is searched with the loop alone where the polish would hide the differences at great length.
GivenParameters winner_of_grid(const Job& job) {
  const bool noise = !job.animal->problem.objective().deterministic();
  std::optional<GivenParameters> winner;
  double best = infinity;
  for (const auto& candidate : grid(probed_curvature(job), noise)) {
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
  if (job.method.parameters == "grid")
    winner = winner_of_grid(job);
  else if (job.method.parameters.starts_with("mu"))
    winner = multiples(job.method.parameters, probed_curvature(job));
  for (int k = 0; k < job.seeds; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t seed = 1 + static_cast<std::uint64_t>(k);
    const Outcome outcome = run_method(job, seed, winner ? &*winner : nullptr);
    table.line(job, seed, outcome,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
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
      budgets = split(value, ',');
    else if (option == "--epochs")
      epochs = split(value, ',');
    else if (option == "--half")
      half = value;
    else if (option == "--methods")
      methods = split(value, ',');
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
        if (method != "automatic" &&
            (animal.infeasible || (method == "grid" && animal.algorithm != "smoothed")))
          continue;
        const bool once = terms == 1 || animal.infeasible;
        const double number = std::stod(budget);
        jobs.push_back({&animal, Method(method),
                        epochs.empty() ? number : number * static_cast<double>(terms),
                        epochs.empty() ? 0 : number, once ? 1 : seeds});
      }
    }
  Table table(arguments[2], events);
  in_parallel(jobs.size(), [&](std::size_t i) {
    try {
      perform(jobs[i], table);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{} {}: {}\n", jobs[i].animal->name, jobs[i].method.name, error.what());
    }
  });
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_zoo: {}\n", error.what());
  return 2;
}
