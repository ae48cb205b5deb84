#include "bench/second/ipopt_rival.hpp"

#include <algorithm>
#include <stdexcept>

#include <IpDenseVector.hpp>
#include <IpIpoptApplication.hpp>
#include <IpIpoptData.hpp>
#include <IpTNLP.hpp>

namespace bridle::bench {
namespace {

constexpr bridle::Index most_dense = 2000;
constexpr double no_bound = 2e19;  // Ipopt's

class Program : public Ipopt::TNLP {
 public:
  using Index = Ipopt::Index;
  using Number = Ipopt::Number;

  explicit Program(const Problem& problem)
      : problem_(problem),
        bounds_(problem.set().description().value().bounds),
        exact_(problem.dimension() <= most_dense) {}

  bool exact() const { return exact_; }
  Trail& trail() { return trail_; }

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian, IndexStyleEnum& style) override {
    n = static_cast<Index>(problem_.dimension());
    m = static_cast<Index>(problem_.rows().count());
    jacobian = static_cast<Index>(problem_.rows().matrix.nonZeros());
    hessian = exact_ ? n * (n + 1) / 2 : 0;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(Index n, Number* lower, Number* upper, Index m, Number* row_lower,
                       Number* row_upper) override {
    const auto copy = [](const Vector& from, Index count, Number* to) {
      for (Index k = 0; k < count; ++k) to[k] = std::clamp(from[k], -no_bound, no_bound);
    };
    copy(bounds_.lower, n, lower);
    copy(bounds_.upper, n, upper);
    copy(problem_.rows().lower, m, row_lower);
    copy(problem_.rows().upper, m, row_upper);
    return true;
  }
  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    const Vector start = problem_.starting_point();
    std::copy_n(start.data(), n, x);
    return true;
  }
  bool eval_f(Index n, const Number* x, bool, Number& value) override {
    value = problem_.objective().mean_value(point(x, n)).value();
    return true;
  }
  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    problem_.objective().mean_gradient(point(x, n), Eigen::Map<Vector>(gradient, n));
    return true;
  }
  bool eval_g(Index n, const Number* x, bool, Index m, Number* rows) override {
    Eigen::Map<Vector>(rows, m) = problem_.rows().matrix * point(x, n);
    return true;
  }
  bool eval_jac_g(Index, const Number*, bool, Index m, Index, Index* rows, Index* columns,
                  Number* values) override {
    Index k = 0;
    for (Index i = 0; i < m; ++i)
      for (SparseRows::InnerIterator it(problem_.rows().matrix, i); it; ++it, ++k) {
        if (values) {
          values[k] = it.value();
        } else {
          rows[k] = i;
          columns[k] = static_cast<Index>(it.col());
        }
      }
    return true;
  }
  bool eval_h(Index n, const Number* x, bool, Number factor, Index, const Number*, bool, Index, Index* rows,
              Index* columns, Number* values) override {
    if (values) problem_.objective().hessian(point(x, n), hessian_);
    Index k = 0;
    for (Index column = 0; column < n; ++column)
      for (Index row = column; row < n; ++row, ++k) {
        if (values) {
          values[k] = factor * hessian_(row, column);
        } else {
          rows[k] = row;
          columns[k] = column;
        }
      }
    return true;
  }
  bool intermediate_callback(Ipopt::AlgorithmMode mode, Index, Number, Number, Number, Number, Number, Number,
                             Number, Number, Index, const Ipopt::IpoptData* data,
                             Ipopt::IpoptCalculatedQuantities*) override {
    if (mode != Ipopt::RegularMode) return true;  // restoration has another x
    const auto* x = dynamic_cast<const Ipopt::DenseVector*>(Ipopt::GetRawPtr(data->curr()->x()));
    trail_.add(x->ExpandedValues(), problem_.dimension());
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, Index n, const Number* x, const Number*, const Number*, Index,
                         const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    trail_.add(x, n, true);
  }

 private:
  static Eigen::Map<const Vector> point(const Number* x, Index n) { return Eigen::Map<const Vector>(x, n); }

  const Problem& problem_;
  Bounds bounds_;
  bool exact_;
  Matrix hessian_;
  Trail trail_;
};

}  // namespace

Trail run_ipopt(const Problem& problem, double most_seconds) {
  Ipopt::SmartPtr<Program> program = new Program(problem);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> solver = new Ipopt::IpoptApplication();
  const auto options = solver->Options();
  options->SetIntegerValue("print_level", 0);
  options->SetStringValue("sb", "yes");
  options->SetStringValue("jac_c_constant", "yes");
  options->SetStringValue("jac_d_constant", "yes");
  options->SetNumericValue("bound_relax_factor", 0);  // else bounds are broken by 1e-8
  options->SetNumericValue("tol", 1e-14);
  options->SetNumericValue("mu_min", 1e-16);
  options->SetIntegerValue("acceptable_iter", 0);
  options->SetIntegerValue("max_iter", 100'000);
  options->SetNumericValue("max_cpu_time", most_seconds);
  if (!program->exact()) {
    options->SetStringValue("hessian_approximation", "limited-memory");
    // Mumps' own choice here, Debian's Scotch 7.0 in threads, breaks the heap: its quasi-dense minimum
    // degree.
    options->SetIntegerValue("mumps_pivot_order", 6);
  }
  if (solver->Initialize() != Ipopt::Solve_Succeeded) throw std::runtime_error("Ipopt does not start");
  program->trail() = Trail();
  solver->OptimizeTNLP(program);
  return program->trail();
}

}  // namespace bridle::bench
