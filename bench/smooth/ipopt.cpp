#include "bench/smooth/ipopt.hpp"

#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>

namespace bridle {
namespace {

using Number = Ipopt::Number;
using Int = Ipopt::Index;

class Dense final : public Ipopt::TNLP {
 public:
  explicit Dense(const Problem& problem) : problem_(problem), bounds_(*problem.set().bounds()) {}
  IpoptAnswer answer;

  bool get_nlp_info(Int& n, Int& m, Int& jacobian, Int& hessian, IndexStyleEnum& style) override {
    n = static_cast<Int>(problem_.dimension());
    m = static_cast<Int>(problem_.smooth_rows().count());
    jacobian = n * m;
    hessian = n * (n + 1) / 2;
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(Int n, Number* lower, Number* upper, Int m, Number* low, Number* high) override {
    for (Int j = 0; j < n; ++j) {
      lower[j] = std::max(-1e20, bounds_.lower[j]);
      upper[j] = std::min(1e20, bounds_.upper[j]);
    }
    for (Int i = 0; i < m; ++i) {
      low[i] = std::max(-1e20, problem_.smooth_rows().lower[i]);
      high[i] = std::min(1e20, problem_.smooth_rows().upper[i]);
    }
    return true;
  }
  bool get_starting_point(Int, bool, Number* x, bool, Number*, Number*, Int, bool, Number*) override {
    const Vector start = problem_.starting_point();
    std::copy(start.begin(), start.end(), x);
    return true;
  }
  bool eval_f(Int n, const Number* x, bool, Number& value) override {
    value = *problem_.objective().mean_value(Eigen::Map<const Vector>(x, n));
    return std::isfinite(value);
  }
  bool eval_grad_f(Int n, const Number* x, bool, Number* out) override {
    ++answer.evaluations;
    problem_.objective().mean_gradient(Eigen::Map<const Vector>(x, n), Eigen::Map<Vector>(out, n));
    return true;
  }
  bool eval_g(Int n, const Number* x, bool, Int m, Number* out) override {
    Eigen::Map<Vector>(out, m) = problem_.smooth_rows().value(Eigen::Map<const Vector>(x, n));
    return Eigen::Map<Vector>(out, m).allFinite();
  }
  bool eval_jac_g(Int n, const Number* x, bool, Int m, Int, Int* rows, Int* columns,
                  Number* values) override {
    if (!values) {
      for (Int k = 0; k < n * m; ++k) {
        rows[k] = k / n;
        columns[k] = k % n;
      }
      return true;
    }
    const Matrix all = problem_.smooth_rows().at(Eigen::Map<const Vector>(x, n)).jacobian;
    for (Int k = 0; k < n * m; ++k) values[k] = all(k / n, k % n);
    return all.allFinite();
  }
  bool eval_h(Int n, const Number* x, bool, Number factor, Int m, const Number* y, bool, Int, Int* rows,
              Int* columns, Number* values) override {
    Int k = 0;
    Matrix all = Matrix::Zero(n, n);
    if (values) {
      const Vector at = Eigen::Map<const Vector>(x, n);
      problem_.objective().hessian(at, all);
      all *= factor;
      problem_.smooth_rows().add_hessian(at, Eigen::Map<const Vector>(y, m), all);
    }
    for (Int i = 0; i < n; ++i)
      for (Int j = 0; j <= i; ++j, ++k) {
        if (values)
          values[k] = all(i, j);
        else {
          rows[k] = i;
          columns[k] = j;
        }
      }
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, Int n, const Number* x, const Number*, const Number*, Int m,
                         const Number*, const Number* y, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    answer.x = Eigen::Map<const Vector>(x, n);
    answer.multipliers = Eigen::Map<const Vector>(y, m);
  }

 private:
  const Problem& problem_;
  Bounds bounds_;
};

}  // namespace

IpoptAnswer solve_with_ipopt(const Problem& problem) {
  Ipopt::SmartPtr<Dense> dense = new Dense(problem);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> application = IpoptApplicationFactory();
  application->Options()->SetIntegerValue("print_level", 0);
  application->Options()->SetStringValue("sb", "yes");
  application->Options()->SetNumericValue("tol", 1e-8);
  if (application->Initialize() != Ipopt::Solve_Succeeded) return {};
  application->OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(GetRawPtr(dense)));
  return dense->answer;
}

}  // namespace bridle
