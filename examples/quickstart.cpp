// Bridle from C++: an objective of one's own, known only through samples, with linear constraints.
//
// A stream of measurements b = a'w + noise, every fifth one false. The shares w (they sum to 1, and the first
// two may make up 70% at most) are estimated with the Welsch loss 1 - exp(-r^2/2), which is smooth,
// nonconvex, and hardly looks at a false measurement.
#include <cmath>
#include <iostream>

#include "bridle/bridle.hpp"

class RobustShares {
 public:
  bridle::Index dimension() const { return 3; }
  bridle::Index sample_count() const { return bridle::endless; }

  // gradient <- grad f(x, sample); the same sample always means the same measurement.
  void gradient(bridle::ConstVectorRef x, bridle::Sample sample, bridle::VectorRef gradient) const {
    const auto [a, b] = measure(sample);
    const double residual = a.dot(x) - b;
    gradient = residual * std::exp(-0.5 * residual * residual) * a;
  }
  // Optional: with it, the report has an objective value.
  double value(bridle::ConstVectorRef x, bridle::Sample sample) const {
    const auto [a, b] = measure(sample);
    const double residual = a.dot(x) - b;
    return 1 - std::exp(-0.5 * residual * residual);
  }

 private:
  struct Measurement {
    Eigen::Vector3d a;
    double b;
  };
  static Measurement measure(bridle::Sample sample) {
    const bridle::Stream random(sample, bridle::Purpose::generator);
    const Eigen::Vector3d a(random.normal(0), random.normal(1), random.normal(2));
    const bool is_false = random.uniform(3) < 0.2;
    const double noise = random.normal(4);
    return {a, is_false ? 5 * noise : a.dot(Eigen::Vector3d(0.5, 0.3, 0.2)) + 0.1 * noise};
  }
};

int main() {
  bridle::Problem problem{RobustShares{}};
  problem.within(bridle::Box{bridle::Vector::Zero(3), bridle::Vector::Ones(3)});  // x in X
  bridle::Matrix rows(2, 3);
  rows << 1, 1, 1, 1, 1, 0;
  const double none = -bridle::infinity;
  problem.subject_to(rows, bridle::Vector{{1, none}}, bridle::Vector{{1, 0.7}},
                     {"whole", "first_two"});  // l <= Ax <= u

  const bridle::Result result = bridle::solve(problem, {.samples = 300'000, .tolerance = 2e-2, .seed = 7});
  std::cout << result.full_report() << "\nshares: " << result.x.transpose() << "\n";
  return result.certified() ? 0 : 1;
}
