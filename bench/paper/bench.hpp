// What the questions share: where results go, how runs are spread over threads, and one run of a method.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/certify/certify.hpp"

#include "bench/in_parallel.hpp"
#include "tests/support/paper_problems.hpp"

namespace bridle::paper {

struct Bench {
  std::filesystem::path data;    // *.csv, for the plots and for readers
  std::filesystem::path tables;  // *.md, for the template
  bool quick = false;
};

// A text file that is written line by line.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path) : file_(path) {
    if (!file_) throw std::runtime_error("cannot write " + path.string());
  }
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    file_ << fmt::format(format, std::forward<T>(values)...) << '\n';
  }

 private:
  std::ofstream file_;
};

inline Scaling literal_scaling() {
  Scaling scaling;
  scaling.metric = MetricKind::identity;  // the paper's loop on the rows as they are
  return scaling;
}

// x = z = the problem's starting point, slacks as near to A x as their bounds allow, y = 0.
inline Iterate start_of(const StandardForm& form) {
  const Problem& problem = form.problem();
  const Vector x = problem.starting_point();
  Iterate start;
  start.x = form.to_standard(x, problem.rows().matrix * x);
  form.project(start.x);
  start.z = start.x;
  start.y = Vector::Zero(form.rows());
  return start;
}

// One run of a named algorithm with constant parameters, advanced piece by piece.
class Run {
 public:
  Run(const StandardForm& form, const std::string& algorithm, const Parameters& parameters,
      std::uint64_t iterations, std::uint64_t seed, double dual_bound = infinity)
      : entry_(*find_algorithm(algorithm)), stage_{parameters, {}, iterations} {
    const bool drawn = form.problem().stochastic_rows().has_value() && entry_.find_representation("drawn");
    method_ = (drawn ? *entry_.find_representation("drawn") : entry_.plain())
                  .create(form, stage_, start_of(form),
                          {.sampling = Sampling::independent, .seed = seed, .dual_bound = dual_bound});
  }
  void advance_to(std::uint64_t iteration) {
    if (iteration <= done_) return;
    method_->run(stage_, done_, iteration - done_);
    done_ = iteration;
  }
  Iterate state() const { return method_->snapshot(); }
  // Sample gradients so far: STORM's first batch takes one per sample, its steps take two.
  double evaluations() const {
    const double steps = static_cast<double>(done_);
    if (entry_.gradients_per_iteration == 0) return steps;
    return static_cast<double>(state().draws) + (entry_.gradients_per_iteration - 1) * steps;
  }

 private:
  const AlgorithmDescription& entry_;
  Stage stage_;
  std::unique_ptr<Method> method_;
  std::uint64_t done_ = 0;
};

// |A v - b| in the paper's form
inline double residual_norm(const StandardForm& form, const Vector& v) {
  Vector r(form.rows());
  form.residual(v, r);
  return r.norm();
}

// The judge's verdict on a point of the standard form, in the user's units.
inline Certificate judge(const StandardForm& form, const Vector& v, const Vector& y, bool improve,
                         bool absolute = false) {
  return certify(form.problem(), form.to_original(v), form.multipliers_to_original(y),
                 {.improve_multipliers = improve, .absolute = absolute});
}

// alpha below tau, so that STORM averages over more steps than the iterate moves in; else it reduces nothing.
// The practical constants of all runs with steps scaled as the theory scales them.
inline Parameters practical(double tau, double rho = 2) {
  return {.tau = tau,
          .eta = 2 * tau,
          .beta = 2 * tau,
          .mu = 2,
          .rho = rho,
          .alpha = std::min(1.0, 5 * tau * tau)};
}

void measure_descent(const Bench& bench);
void measure_lemmas(const Bench& bench);
void measure_rates(const Bench& bench);
void measure_constant_penalty(const Bench& bench);
void measure_ablations(const Bench& bench);
void measure_safeguard(const Bench& bench);
void measure_post_processing(const Bench& bench);
void measure_rivals(const Bench& bench);
void measure_stochastic_rows(const Bench& bench);
void measure_errata(const Bench& bench);

}  // namespace bridle::paper
