#include "bridle/run/logistic_start.hpp"

#include <algorithm>

#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/run/solve.hpp"

namespace bridle {
namespace {

constexpr double share = 0.1;
constexpr double near_enough = 1e-2;  // where second-order steps end the start

// Hears Ctrl-C, and keeps everything else to itself.
class Listener final : public Observer {
 public:
  explicit Listener(Observer& user) : user_(user) {}
  Wants wants() override { return Wants::nothing; }
  bool interrupted() override { return user_.interrupted(); }

 private:
  Observer& user_;
};

}  // namespace

bool wants_logistic_start(const Problem& problem, const SolveOptions& options) {
  const LinearModel* model = problem.objective().as_linear_model();
  return model && std::holds_alternative<SmoothedZeroOneLoss>(model->loss()) &&
         options.source == ParameterSource::automatic && options.output == Output::best &&
         problem.starting_point().isZero(0);
}

LogisticStart logistic_start(const Problem& problem, SolveOptions& options, Observer& observer) {
  const LinearModel& model = *problem.objective().as_linear_model();
  const auto count = static_cast<double>(model.sample_count());
  SolveOptions first;
  first.algorithm = options.algorithm;
  first.seed = options.seed;
  first.batch = options.batch;
  first.workers = options.workers;
  first.team = options.team;
  first.sampling = options.sampling;
  first.finish = first.second_order = options.finish && options.second_order;
  first.clock = options.clock;
  if (first.second_order) first.tolerance = near_enough;
  if (options.samples > 0) {
    first.samples = share * options.samples;
    options.samples -= first.samples;
  } else if (options.epochs > 0 || options.seconds == 0) {
    const double epochs = options.epochs > 0 ? options.epochs : 30;
    first.samples = share * epochs * count;
    options.epochs = (1 - share) * epochs;
  } else {  // how many samples a time limit allows differs from run to run; a start must not
    first.samples = 2 * count;
  }
  first.seconds = share * options.seconds;
  Listener listener(observer);
  const Result result = solve(problem.with_objective(model.with_loss(LogisticLoss{})), first, &listener);
  const double seconds = result.solve_seconds + result.certify_seconds;
  if (options.seconds > 0) options.seconds = std::max(0.01 * options.seconds, options.seconds - seconds);
  return {result.x, result.samples, result.certificate_samples, result.phases.as_a_start()};
}

}  // namespace bridle
