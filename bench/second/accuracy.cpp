// bench_accuracy DATA NAME FOLDER SECONDS
// One problem by Bridle and by its rivals. All iterates are put down with the processor seconds at which they
// were there and judged afterwards by one measure, the certificate's error with multipliers fitted by the
// judge, whoever found the point. Prints lines "method,seconds,error,objective". Without a NAME: the names.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridle/certify/certify.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"
#include "bridle/second/improve.hpp"

#include "bench/second/problems.hpp"
#include "bench/second/trail.hpp"
#ifdef BRIDLE_BENCH_IPOPT
#include "bench/second/ipopt_rival.hpp"
#endif

namespace {

using namespace bridle;
using bench::Trail;

constexpr Index most_dense = 2000;

class Comparison {
 public:
  Comparison(const Problem& problem, std::string folder, double seconds)
      : problem_(problem),
        folder_(std::move(folder)),
        seconds_(seconds),
        judge_(problem, {.improve_multipliers = true}) {}

  // A user's runs, one for each tolerance, loop and judge included.
  void bridle_runs() const {
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
      const double start = bench::processor_seconds();
      SolveOptions options;
      options.tolerance = tolerance;
      const Result result = solve(problem_, options);
      print("Bridle", bench::processor_seconds() - start, result.x);
    }
  }

  // An epoch of the loop alone: what ten more of them take.
  void epoch() const {
    const auto seconds_of = [&](double epochs) {
      SolveOptions options;
      options.epochs = epochs;
      options.tolerance = 0;
      options.finish = options.second_order = false;
      const double start = bench::processor_seconds();
      solve(problem_, options);
      return bench::processor_seconds() - start;
    };
    if (problem_.dimension() > most_dense) return;
    const double few = seconds_of(4);
    fmt::print("epoch,{:.6g},1,0\n", (seconds_of(14) - few) / 10);
  }

  // The second-order steps alone, from the start, without a loop before them.
  void second_order_steps() const {
    Trail trail;
    second::Options options;
    options.tolerance = 1e-10;
    options.stop = [&] { return trail.seconds() > seconds_; };
    options.visit = [&](const second::Visit& visit) { trail.add(visit.x.data(), visit.x.size()); };
    const auto outcome = second::improve(problem_, {problem_.starting_point(), {}}, options);
    trail.add(outcome.x.data(), outcome.x.size(), true);
    print("second-order steps", trail);
  }

  void rivals() const {
    ipopt();
    const std::string file = folder_ + "/problem";
    write(file);
    const bool bounds_only = problem_.rows().count() == 0;
    if (problem_.dimension() <= most_dense) scipy(file, "SLSQP");
    scipy(file, "trust-constr");
    if (bounds_only) scipy(file, "L-BFGS-B");
    std::remove(file.c_str());
  }

 private:
  void print(const std::string& method, double seconds, const Vector& x) const {
    const Certificate certificate = judge_(x, Vector::Zero(problem_.rows().count()));
    fmt::print("{},{:.6g},{:.4g},{:.12g}\n", method, seconds, certificate.error(), certificate.objective);
  }
  // As far as the first point below the least error that is asked for.
  void print(const std::string& method, const Trail& trail) const {
    for (const auto& point : trail.points()) {
      const Certificate certificate = judge_(point.x, Vector::Zero(problem_.rows().count()));
      fmt::print("{},{:.6g},{:.4g},{:.12g}\n", method, point.seconds, certificate.error(),
                 certificate.objective);
      if (certificate.error() <= 1e-8) break;
    }
  }

  // In a process of its own: what breaks there breaks alone.
  void ipopt() const {
#ifdef BRIDLE_BENCH_IPOPT
    std::fflush(stdout);
    const std::string out = folder_ + "/trail";
    const pid_t child = fork();
    if (child == 0) {
      bench::run_ipopt(problem_, seconds_).write(out);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    print("Ipopt", Trail::read(out, problem_.dimension()));
    std::remove(out.c_str());
    if (status != 0) fmt::print(stderr, "Ipopt was ended, or failed\n");
#endif
  }

  void scipy(const std::string& file, const std::string& method) const {
    const std::string out = folder_ + "/trail";
    // SciPy's own loops do not look at the clock: a method that is inside one is ended from outside.
    const std::string command = fmt::format("timeout {} /usr/bin/python3 '{}' '{}' {} {} '{}'", 3 * seconds_,
                                            BRIDLE_SCIPY_RIVALS, file, method, seconds_, out);
    const int status = std::system(command.c_str());
    print(method, Trail::read(out, problem_.dimension()));
    std::remove(out.c_str());
    if (status != 0) fmt::print(stderr, "{} was ended, or failed\n", method);
  }

  // For scipy_rivals.py: sizes, the data, labels, ridge, bounds, rows, the loss; then a point with the value
  // and the gradient there, for it to check its own against.
  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    const auto put = [&]<class Number>(const Number* numbers, Index count) {
      file.write(reinterpret_cast<const char*>(numbers),
                 static_cast<std::streamsize>(sizeof(Number)) * static_cast<std::streamsize>(count));
    };
    const LinearModel& model = *problem_.objective().as_linear_model();
    const SparseRows data = std::get<SparseView>(model.features().storage()).matrix();
    const SparseRows& rows = problem_.rows().matrix;
    const std::string loss(loss_name(model.loss()));
    const std::int64_t sizes[] = {data.rows(), data.cols(),     data.nonZeros(),
                                  rows.rows(), rows.nonZeros(), static_cast<std::int64_t>(loss.size())};
    put(sizes, 6);
    put(loss.data(), static_cast<Index>(loss.size()));
    const auto put_sparse = [&](const SparseRows& matrix) {
      SparseRows compressed = matrix;
      compressed.makeCompressed();
      put(compressed.outerIndexPtr(), compressed.rows() + 1);
      put(compressed.innerIndexPtr(), compressed.nonZeros());
      put(compressed.valuePtr(), compressed.nonZeros());
    };
    const auto put_vector = [&](const Vector& vector) { put(vector.data(), vector.size()); };
    const Index n = problem_.dimension();
    put_sparse(data);
    put_vector(model.labels());
    put_vector(model.ridge().size() ? model.ridge() : Vector(Vector::Zero(n)));
    const auto set = problem_.set().description();
    put_vector(set->bounds.lower);
    put_vector(set->bounds.upper);
    put_sparse(rows);
    put_vector(problem_.rows().lower);
    put_vector(problem_.rows().upper);
    put_vector(problem_.starting_point());
    Vector x = problem_.objective().curvature_diagonal()->cwiseSqrt().cwiseInverse(), gradient(n), image(n);
    for (Index j = 1; j < n; j += 2) x[j] *= -0.5;
    const double value = problem_.objective().value_and_gradient(x, gradient).value();
    problem_.objective().hessian_product(x, x, image);
    put_vector(x);
    put(&value, 1);
    put_vector(gradient);
    put_vector(image);
  }

  const Problem& problem_;
  std::string folder_;
  double seconds_;
  Judge judge_;
};

void compare(const std::string& data, const std::string& name, const std::string& folder, double seconds) {
  for (const auto& timed : bench::second_order_problems(data)) {
    if (timed.name != name) continue;
    const Problem problem = timed.make();
    const Comparison comparison(problem, folder, seconds);
    comparison.second_order_steps();
    comparison.bridle_runs();
    comparison.epoch();
    std::fflush(stdout);
    comparison.rivals();
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 && count != 5) {
    std::fputs("usage: bench_accuracy DATA [NAME FOLDER SECONDS]\n", stderr);
    return 2;
  }
  try {
    if (count == 2)
      for (const auto& timed : bench::second_order_problems(arguments[1])) {
        fmt::print("{}\n", timed.name);
      }
    else
      compare(arguments[1], arguments[2], arguments[3], std::stod(arguments[4]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_accuracy: {}\n", error.what());
    return 2;
  }
}
