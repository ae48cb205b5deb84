#include "bridle/apps/slicing/relaxation.hpp"

#include <algorithm>

#include "bridle/apps/slicing/concave_charge.hpp"
#include "bridle/problem/sets/box.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {
namespace {

constexpr double first_sigma = 0.03, growth = 2;  // of the charge's weight
constexpr int stages = 6;
constexpr std::uint64_t first_iterations = 300, iterations_per_stage = 80;
constexpr double disturbance = 0.05;

// Functions spread evenly over their hosts, no traffic yet.
Vector even_start(const Formulation& formulation) {
  Vector x = Vector::Zero(formulation.variables());
  for (const auto& choice : formulation.choices())
    x.segment(choice.first, static_cast<Index>(choice.hosts.size()))
        .setConstant(1 / static_cast<double>(choice.hosts.size()));
  return x;
}

double decided_part(const Formulation& formulation, const Vector& x) {
  if (formulation.choices().empty()) return 1;
  double count = 0;
  for (const auto& choice : formulation.choices())
    count += x.segment(choice.first, static_cast<Index>(choice.hosts.size())).maxCoeff() > 0.95 ? 1 : 0;
  return count / static_cast<double>(formulation.choices().size());
}

void disturb(const Formulation& formulation, std::uint64_t seed, Vector& x) {
  Vector noise(x.size() - formulation.first_host_variable());
  Stream(seed, Purpose::generator).fill_normal(noise, 0);
  x.tail(noise.size()) = (x.tail(noise.size()) + disturbance * noise).cwiseMax(0).cwiseMin(1);
}

// Orthonormal rows by a factor of A A', or rows divided by the largest eigenvalue of A A' where they are seen
// through draws: of length one at most, so that these work for every instance. A stage's end need not be
// certified and is not polished: it is a candidate to be rounded, whose worth shows afterwards.
SolveOptions stage_options(std::uint64_t iterations, std::uint64_t seed, bool rows_are_drawn) {
  SolveOptions options;
  options.samples = static_cast<double>(iterations);
  options.seed = seed;
  options.source = ParameterSource::given;
  const Parameters parameters{.tau = 1 / 1.1, .eta = 1, .beta = 0.1, .mu = 0.1, .rho = 1};
  options.given =
      GivenParameters{parameters, {}, rows_are_drawn ? MetricKind::diagonal : MetricKind::cholesky};
  if (rows_are_drawn) options.algorithm = "safeguarded";
  options.output = Output::last;
  options.finish = false;
  options.refit_multipliers = false;
  options.tolerance = 1e6;
  return options;
}

class Stopper final : public Observer {
 public:
  explicit Stopper(const std::function<bool()>& stop) : stop_(stop) {}
  bool interrupted() override { return stop_ && stop_(); }

 private:
  const std::function<bool()>& stop_;
};

}  // namespace

Relaxation::Relaxation(const Formulation& formulation, std::optional<AnyStochasticRows> sampled,
                       std::function<bool()> stop)
    : formulation_(formulation), sampled_(std::move(sampled)), stop_(std::move(stop)) {}

StagePoint Relaxation::stage(double sigma, const Vector& x, const Vector& y, std::uint64_t iterations,
                             std::uint64_t seed) const {
  const Index n = formulation_.variables();
  const ConcaveCharge objective(formulation_, sigma);
  const Rows& structure = formulation_.structure();
  const Rows& capacities = formulation_.capacities();
  Problem problem(objective);
  problem.within(Box(Vector::Zero(n), Vector::Ones(n)));
  problem.subject_to(structure.matrix, structure.lower, structure.upper, structure.names);
  if (sampled_)
    problem.subject_to_expected(*sampled_, capacities.lower, capacities.upper, capacities.names);
  else
    problem.subject_to(capacities.matrix, capacities.lower, capacities.upper, capacities.names);
  problem.start_from(x);
  SolveOptions options = stage_options(iterations, seed, sampled_.has_value());
  options.start_multipliers = y;
  Stopper stopper(stop_);
  const Result result = solve(problem, options, &stopper);
  StagePoint out;
  out.sigma = sigma;
  out.iterations = result.iterations;
  if (result.status == Status::diverged || !result.x.allFinite() || !result.y.allFinite()) return out;
  out.x = result.x;
  out.multipliers = result.y;
  out.link_prices =
      objective.scale() * result.y.tail(capacities.count() - formulation_.first_link_row()).cwiseAbs();
  out.decided = decided_part(formulation_, out.x);
  return out;
}

StagePoint Relaxation::start(std::uint64_t seed) const {
  return stage(0, even_start(formulation_), {}, first_iterations, seed);
}

void Relaxation::continue_from(const StagePoint& start, std::uint64_t seed,
                               const std::function<bool(const StagePoint&)>& visit) const {
  StagePoint now = start;
  if (now.x.size() == 0) return;  // it diverged
  disturb(formulation_, seed, now.x);
  double sigma = first_sigma;
  for (int k = 0; k < stages && now.decided < 1; ++k, sigma *= growth) {
    now = stage(sigma, now.x, now.multipliers, iterations_per_stage, seed);
    if (now.x.size() == 0 || !visit(now)) return;
  }
}

}  // namespace bridle
