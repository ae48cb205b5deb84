// The Adult reference problem by Ipopt, with exact gradients and its limited-memory Hessian.
//
// Usage: bench_ipopt PROBLEM OBJECTIVE, where bench/fair/slsqp.py wrote the problem. Prints the seconds to
// the first iterate with an objective of at most OBJECTIVE and the bound met to 1e-6, without the time for
// looking at the iterates; or "none".
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <IpDenseVector.hpp>
#include <IpIpoptApplication.hpp>
#include <IpIpoptData.hpp>
#include <IpTNLP.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Ipopt::Index;
using Ipopt::Number;

double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }
double sigmoid(double t) {
  const double small = std::exp(-std::abs(t));
  return (t >= 0 ? 1 : small) / (1 + small);
}

template <class T>
std::vector<T> read(std::ifstream& file, std::int64_t count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  if (!file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size() * sizeof(T))))
    throw std::runtime_error("the problem's file is too short");
  return out;
}

// mean of log(1 + e^-t) - log(1 + e^-(t + 1)), t = label a_i'x, plus ridge/2 |x|^2 (without the last one, the
// intercept); |row'x| <= bound.
struct Adult {
  std::int64_t samples, variables;
  std::vector<std::int32_t> starts, columns;
  std::vector<double> values, labels, row;
  double bound, ridge;

  explicit Adult(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const auto sizes = read<std::int64_t>(file, 3);
    samples = sizes[0], variables = sizes[1];
    starts = read<std::int32_t>(file, samples + 1);
    columns = read<std::int32_t>(file, sizes[2]);
    values = read<double>(file, sizes[2]);
    labels = read<double>(file, samples);
    row = read<double>(file, variables);
    const auto numbers = read<double>(file, 2);
    bound = numbers[0], ridge = numbers[1];
  }

  // The objective; its gradient too where asked for.
  double evaluate(const double* x, double* gradient) const {
    const auto count = static_cast<double>(samples);
    double sum = 0, squares = 0;
    if (gradient) std::fill_n(gradient, variables, 0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i) {
      double product = 0;
      const auto begin = static_cast<std::size_t>(starts[i]), end = static_cast<std::size_t>(starts[i + 1]);
      for (std::size_t e = begin; e < end; ++e) product += values[e] * x[columns[e]];
      const double margin = labels[i] * product;
      if (!gradient) {
        sum += softplus(-margin) - softplus(-margin - 1);
        continue;
      }
      const double slope = -labels[i] * (sigmoid(-margin) - sigmoid(-margin - 1)) / count;
      for (std::size_t e = begin; e < end; ++e) gradient[columns[e]] += slope * values[e];
    }
    for (std::int64_t j = 0; j + 1 < variables; ++j) {
      squares += x[j] * x[j];
      if (gradient) gradient[j] += ridge * x[j];
    }
    return sum / count + 0.5 * ridge * squares;
  }
  double covariance(const double* x) const {
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * x[j];
    return sum;
  }
};

class Program : public Ipopt::TNLP {
 public:
  Program(const Adult& adult, double objective) : adult_(adult), objective_(objective) {}

  double seconds = -1;  // to the first good iterate
  Clock::time_point start;

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian, IndexStyleEnum& style) override {
    n = static_cast<Index>(adult_.variables);
    m = 1;
    jacobian = n;
    hessian = 0;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(Index n, Number* lower, Number* upper, Index, Number* row_lower,
                       Number* row_upper) override {
    std::fill_n(lower, n, -2e19);
    std::fill_n(upper, n, 2e19);
    row_lower[0] = -adult_.bound;
    row_upper[0] = adult_.bound;
    return true;
  }
  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    std::fill_n(x, n, 0.0);
    return true;
  }
  bool eval_f(Index, const Number* x, bool, Number& value) override {
    value = adult_.evaluate(x, nullptr);
    return true;
  }
  bool eval_grad_f(Index, const Number* x, bool, Number* gradient) override {
    adult_.evaluate(x, gradient);
    return true;
  }
  bool eval_g(Index, const Number* x, bool, Index, Number* rows) override {
    rows[0] = adult_.covariance(x);
    return true;
  }
  bool eval_jac_g(Index n, const Number*, bool, Index, Index, Index* rows, Index* columns,
                  Number* values) override {
    for (Index j = 0; j < n; ++j) {
      if (values) {
        values[j] = adult_.row[static_cast<std::size_t>(j)];
      } else {
        rows[j] = 0;
        columns[j] = j;
      }
    }
    return true;
  }
  bool intermediate_callback(Ipopt::AlgorithmMode mode, Index, Number, Number, Number, Number, Number, Number,
                             Number, Number, Index, const Ipopt::IpoptData* data,
                             Ipopt::IpoptCalculatedQuantities*) override {
    if (mode != Ipopt::RegularMode) return true;  // restoration has another x
    const auto before = Clock::now();
    const auto* x =
        dynamic_cast<const Ipopt::DenseVector*>(Ipopt::GetRawPtr(data->curr()->x()))->ExpandedValues();
    const bool good =
        adult_.evaluate(x, nullptr) <= objective_ && std::abs(adult_.covariance(x)) <= adult_.bound + 1e-6;
    if (good) seconds = std::chrono::duration<double>(before - start - looking_).count();
    looking_ += Clock::now() - before;
    return !good;
  }
  void finalize_solution(Ipopt::SolverReturn, Index, const Number*, const Number*, const Number*, Index,
                         const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {}

 private:
  const Adult& adult_;
  double objective_;
  Clock::duration looking_{};
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: bench_ipopt PROBLEM OBJECTIVE\n", stderr);
    return 2;
  }
  try {
    const Adult adult(arguments[1]);
    Ipopt::SmartPtr<Program> program = new Program(adult, std::stod(arguments[2]));
    Ipopt::SmartPtr<Ipopt::IpoptApplication> solver = new Ipopt::IpoptApplication();
    solver->Options()->SetStringValue("hessian_approximation", "limited-memory");
    solver->Options()->SetIntegerValue("print_level", 0);
    solver->Options()->SetStringValue("sb", "yes");
    solver->Initialize();
    program->start = Clock::now();
    solver->OptimizeTNLP(program);
    if (program->seconds < 0)
      std::printf("none\n");
    else
      std::printf("%.6f\n", program->seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_ipopt: %s\n", error.what());
    return 2;
  }
}
