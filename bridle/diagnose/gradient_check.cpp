#include "bridle/diagnose/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bridle/core/formatted.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();
constexpr Index most_named = 5000;  // variables that are tried one by one
constexpr double caution = 20;      // times the error that differences are thought to have

// A derivative by central differences with two steps, and how far it may be off.
struct Difference {
  double slope = 0, off = 0;
};

template <class F>  // f(t), a double
Difference difference(const F& f, double step) {
  const double ahead = f(step), back = f(-step), near_ahead = f(step / 2), near_back = f(-step / 2);
  const double wide = (ahead - back) / (2 * step), narrow = (near_ahead - near_back) / step;
  const double size = std::max({std::abs(ahead), std::abs(back), std::abs(near_ahead)});
  return {narrow + (narrow - wide) / 3, std::abs(narrow - wide) + rounding * size / step};
}

class Check {
 public:
  Check(const Problem& problem, const Vector& x, const GradientCheckOptions& options)
      : problem_(problem),
        f_(problem.objective()),
        x_(x),
        options_(options),
        random_(options.seed, Purpose::generator),
        step_(std::cbrt(rounding) * (1 + x.lpNorm<Eigen::Infinity>())) {}

  GradientCheck run() {
    const Index count = f_.sample_count();
    out_.samples = count == endless ? options_.samples : std::min(options_.samples, count);
    out_.directions = options_.directions;
    for (Index k = 0; k < out_.samples && out_.good(); ++k) {
      Sample sample = static_cast<Sample>(k);
      if (count != endless && out_.samples < count)
        sample = static_cast<Sample>(random_.below(static_cast<std::uint64_t>(count), counter_++));
      samples_.push_back(sample);
      one_sample(sample);
    }
    if (out_.good() && !samples_.empty()) batch();
    if (out_.good() && problem_.has_smooth_rows()) smooth_rows();
    return out_;
  }

 private:
  const std::string& name(Index j) const { return problem_.variable_names()[static_cast<std::size_t>(j)]; }

  Vector direction() {
    Vector d(x_.size());
    for (Index j = 0; j < d.size(); ++j) d[j] = random_.normal(counter_++);
    return d / d.norm();
  }

  double value(const Vector& x, Sample sample) const { return f_.value(x, sample).value_or(std::nan("")); }
  Difference along(const Vector& d, Sample sample) const {
    return difference([&](double t) { return value(x_ + t * d, sample); }, step_);
  }

  void one_sample(Sample sample) {
    Vector gradient(x_.size());
    f_.gradient(x_, sample, gradient);
    if (const auto bad = find_bad(gradient)) {
      out_.flaw = formatted("the gradient of sample %llu is %g for variable '%s'",
                            static_cast<unsigned long long>(sample), gradient[*bad], name(*bad).c_str());
      return;
    }
    const auto at_x = f_.value(x_, sample);
    if (at_x && !std::isfinite(*at_x)) {
      out_.flaw = formatted("the value of sample %llu is %g", static_cast<unsigned long long>(sample), *at_x);
      return;
    }
    out_.against_values = at_x.has_value();
    for (Index k = 0; k < options_.directions && out_.good(); ++k)
      at_x ? against_values(sample, gradient) : symmetry(sample, gradient);
  }

  static std::optional<Index> find_bad(const Vector& v) {
    for (Index j = 0; j < v.size(); ++j)
      if (!std::isfinite(v[j])) return j;
    return {};
  }

  // True when the two differ by more than differences themselves may be off.
  bool differ(double claimed, const Difference& measured, double size) {
    const double gap = std::abs(claimed - measured.slope);
    if (!std::isfinite(measured.slope)) return false;  // x + h d is outside of where f is defined
    out_.worst = std::max(out_.worst, std::max(0.0, gap - caution * measured.off) / std::max(size, 1e-300));
    return gap > options_.tolerance * size + caution * measured.off;
  }

  void against_values(Sample sample, const Vector& gradient) {
    const Vector d = direction();
    const Difference measured = along(d, sample);
    const double size = std::max(gradient.norm(), std::abs(measured.slope) * std::sqrt(double(x_.size())));
    if (!differ(gradient.dot(d), measured, size / std::sqrt(double(x_.size())))) return;
    out_.flaw =
        "the gradient is not the derivative of the value: " + worst_variable(sample, gradient, d, measured);
  }

  // Which variable it is, tried one by one where they are not too many.
  std::string worst_variable(Sample sample, const Vector& gradient, const Vector& d,
                             const Difference& slope) {
    const auto number = static_cast<unsigned long long>(sample);
    double worst = 0, found = 0;
    Index variable = -1;
    for (Index j = 0; j < std::min(x_.size(), most_named); ++j) {
      const Difference measured = along(Vector::Unit(x_.size(), j), sample);
      const double gap = std::abs(gradient[j] - measured.slope);
      if (!(gap > worst + caution * measured.off)) continue;
      worst = gap;
      found = measured.slope;
      variable = j;
    }
    if (variable < 0)
      return formatted("sample %llu, along a random direction it is %.6g, by differences %.6g", number,
                       gradient.dot(d), slope.slope);
    return formatted("sample %llu, variable '%s': it is %.6g, by differences %.6g", number,
                     name(variable).c_str(), gradient[variable], found);
  }

  // Without values: second derivatives are symmetric, d'(H e) = e'(H d).
  void symmetry(Sample sample, const Vector& gradient) {
    const Vector d = direction(), e = direction();
    const auto bent = [&](const Vector& by, const Vector& seen) {
      return difference(
          [&](double t) {
            Vector g(x_.size());
            f_.gradient(x_ + t * by, sample, g);
            return g.dot(seen);
          },
          step_);
    };
    const Difference one = bent(d, e);
    Difference other = bent(e, d);
    other.off += one.off + rounding * gradient.norm() / step_;
    const double size = std::max(std::abs(one.slope), std::abs(other.slope));
    if (differ(one.slope, other, std::max(size, 10 * rounding * gradient.norm() / step_)))
      out_.flaw = formatted(
          "the gradient is no derivative of anything: of sample %llu its differences are not "
          "symmetric, %.6g and %.6g",
          static_cast<unsigned long long>(sample), one.slope, other.slope);
  }

  void batch() {
    Vector together(x_.size()), one(x_.size()), mean = Vector::Zero(x_.size());
    f_.batch_gradient(x_, samples_, together);
    for (const Sample sample : samples_) {
      f_.gradient(x_, sample, one);
      mean += one / static_cast<double>(samples_.size());
    }
    Index worst = 0;
    const double gap = (together - mean).cwiseAbs().maxCoeff(&worst);
    if (gap > options_.tolerance * mean.norm() || !together.allFinite())
      out_.flaw =
          formatted("batch_gradient is not the mean of gradients: variable '%s', it is %.6g, the mean %.6g",
                    name(worst).c_str(), together[worst], mean[worst]);
  }

  void smooth_rows() {
    const SmoothRows& rows = problem_.smooth_rows();
    const SmoothPoint at = rows.at(x_);
    if (!at.finite()) {
      out_.flaw = "the smooth rows or their Jacobian are not finite";
      return;
    }
    for (Index k = 0; k < options_.directions && out_.good(); ++k) {
      const Vector d = direction(), claimed = at.jacobian * d;
      for (Index i = 0; i < rows.count() && out_.good(); ++i) {
        const auto of_row = [&](const Vector& by) {
          return difference([&](double t) { return rows.value(x_ + t * by)[i]; }, step_);
        };
        const double length = std::sqrt(at.jacobian.row(i).squaredNorm());
        if (!differ(claimed[i], of_row(d), std::max(length, 1e-300))) continue;
        Index variable = 0;
        double worst = -1;
        for (Index j = 0; j < std::min(x_.size(), most_named); ++j) {
          const double gap = std::abs(at.jacobian.coeff(i, j) - of_row(Vector::Unit(x_.size(), j)).slope);
          if (gap > worst) worst = gap, variable = j;
        }
        out_.flaw = formatted("the Jacobian is not the derivative of the rows: row '%s', variable '%s'",
                              rows.names[static_cast<std::size_t>(i)].c_str(), name(variable).c_str());
      }
    }
  }

  const Problem& problem_;
  const AnyObjective& f_;
  const Vector& x_;
  const GradientCheckOptions& options_;
  Stream random_;
  double step_;
  std::uint64_t counter_ = 0;
  std::vector<Sample> samples_;
  GradientCheck out_;
};

}  // namespace

GradientCheck check_gradient(const Problem& problem, const Vector& x, const GradientCheckOptions& options) {
  if (x.size() != problem.dimension())
    throw InputError("the point has " + std::to_string(x.size()) + " entries; the problem has " +
                     std::to_string(problem.dimension()) + " variables");
  return Check(problem, x, options).run();
}

std::string GradientCheck::text() const {
  if (!good()) return flaw;
  const std::string what = against_values
                               ? "differences of the values"
                               : "the symmetry of its differences (there are no values to compare with)";
  return formatted(
      "the gradient agrees with %s: %td samples, %td directions each, largest relative difference %.1e",
      what.c_str(), samples, directions, worst);
}

std::optional<std::string> find_not_finite(const Problem& problem, const Vector& x, Index most) {
  const AnyObjective& f = problem.objective();
  const Index count = f.sample_count() == endless ? most : std::min(most, f.sample_count());
  Vector gradient(x.size());
  for (Index k = 0; k < count; ++k) {
    const auto sample = static_cast<Sample>(k);
    f.gradient(x, sample, gradient);
    for (Index j = 0; j < gradient.size(); ++j)
      if (!std::isfinite(gradient[j]))
        return formatted("the gradient of sample %llu is %g for variable '%s', at a point where |x| = %.3g",
                         static_cast<unsigned long long>(sample), gradient[j],
                         problem.variable_names()[static_cast<std::size_t>(j)].c_str(), x.norm());
    if (const auto value = f.value(x, sample); value && !std::isfinite(*value))
      return formatted("the value of sample %llu is %g, at a point where |x| = %.3g",
                       static_cast<unsigned long long>(sample), *value, x.norm());
  }
  return {};
}

}  // namespace bridle
