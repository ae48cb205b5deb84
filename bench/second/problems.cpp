#include "bench/second/problems.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/core/random.hpp"
#include "bridle/io/libsvm.hpp"
#include "bridle/problem/objectives/linear_model.hpp"
#include "bridle/problem/sets/sets.hpp"

namespace bridle::bench {
namespace {

namespace fs = std::filesystem;
using Entries = std::vector<Eigen::Triplet<double>>;

const Stream made_up(1, Purpose::generator);

// examples/adult.toml with its data elsewhere and another loss.
Problem adult(const fs::path& data, const Loss& loss) {
  const fs::path file = fs::temp_directory_path() / "bridle-bench-second-adult.toml";
  std::ofstream(file)
      << "[objective]\nkind = \"linear-model\"\ndata = \"" << (data / "adult/adult.data.gz").string()
      << "\"\n"
      << "columns = [\"age\", \"workclass\", \"fnlwgt\", \"education\", \"education-num\", "
         "\"marital-status\", \"occupation\", \"relationship\", \"race\", \"sex\", \"capital-gain\", "
         "\"capital-loss\", \"hours-per-week\", \"native-country\", \"income\"]\n"
      << "target = \"income\"\npositive = \">50K\"\nloss = \"logistic-difference\"\nstandardise = true\n"
      << "ridge = 1e-4\n[constraints]\ncovariance = { sex = 0.001 }\n";
  Problem problem = read_problem(file.string()).problem;
  fs::remove(file);
  return problem.with_objective(problem.objective().as_linear_model()->with_loss(loss));
}

// The same problem in units that differ by twelve orders of magnitude.
Problem badly_scaled(const Problem& problem) {
  const LinearModel& model = *problem.objective().as_linear_model();
  Vector unit(problem.dimension());
  for (Index j = 0; j < unit.size(); ++j)
    unit[j] = std::pow(10.0, 12 * made_up.uniform(static_cast<std::uint64_t>(j), 77) - 6);
  const SparseRows features = std::get<SparseView>(model.features().storage()).matrix() * unit.asDiagonal();
  Problem out(
      LinearModel(features, model.labels(), model.loss(), model.ridge().cwiseProduct(unit.cwiseAbs2())));
  out.subject_to(SparseRows(problem.rows().matrix * unit.asDiagonal()), problem.rows().lower,
                 problem.rows().upper);
  return out;
}

// |x_i - x_{i+1}| <= width (or x_i >= x_{i+1}) for i < count.
Entries neighbours(Index count) {
  Entries out;
  for (Index i = 0; i < count; ++i) {
    out.emplace_back(i, i, 1.0);
    out.emplace_back(i, i + 1, -1.0);
  }
  return out;
}

// Signs; with rows also weights that fall along the first columns, a budget above and one that must be met.
Problem a9a(const fs::path& data, const Loss& loss, bool with_rows) {
  io::LibsvmOptions how;
  how.intercept = true;
  io::SparseData read = io::read_libsvm((data / "a9a/a9a.gz").string(), how);
  const Index n = read.features.cols();
  Vector ridge = Vector::Constant(n, 1e-4), lower = Vector::Constant(n, -1), upper = Vector::Constant(n, 1);
  ridge[n - 1] = 0;
  lower[n - 1] = -infinity;
  upper[n - 1] = infinity;
  lower.segment(60, 40).setZero();
  Problem out(LinearModel(std::move(read.features),
                          Eigen::Map<Vector>(read.labels.data(), static_cast<Index>(read.labels.size())),
                          loss, ridge));
  out.within(Box(lower, upper));
  if (!with_rows) return out;
  Entries entries = neighbours(4);
  for (Index j = 60; j < 120; ++j) entries.emplace_back(4, j, 1.0);
  for (Index j = 5; j < 45; ++j) entries.emplace_back(5, j, 1.0);
  SparseRows rows(6, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  Vector low = Vector::Zero(6), high = Vector::Constant(6, infinity);
  low[4] = -infinity;
  high[4] = low[5] = high[5] = 0.5;
  out.subject_to(rows, low, high);
  return out;
}

// Samples with `nonzeros` normal entries; columns drawn with density 1/power of a power law.
SparseRows made_up_data(Index samples, Index n, Index nonzeros, double power) {
  Entries entries;
  entries.reserve(static_cast<std::size_t>(samples * nonzeros));
  Vector values(nonzeros);
  for (Index i = 0; i < samples; ++i) {
    made_up.fill_normal(values, static_cast<std::uint64_t>(i));
    for (Index k = 0; k < nonzeros; ++k) {
      const double u = made_up.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(1000 + k));
      entries.emplace_back(i, static_cast<Index>(static_cast<double>(n) * std::pow(u, power)), values[k]);
    }
  }
  SparseRows out(samples, n);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

Vector noisy_labels(const SparseRows& features, const Vector& truth) {
  Vector score = features * truth, noise(score.size());
  made_up.fill_normal(noise, 1 << 24);
  for (Index i = 0; i < score.size(); ++i) score[i] = score[i] + noise[i] < 0 ? -1 : 1;
  return score;
}

Problem bands(Index n) {
  SparseRows features = made_up_data(20'000, n, 20, 1);
  Vector truth(n);
  made_up.fill_normal(truth, 1 << 25);
  for (Index j = 1; j < n; ++j) truth[j] += truth[j - 1];
  const Vector labels = noisy_labels(features, 0.3 * truth);
  const Entries entries = neighbours(n - 1);
  SparseRows rows(n - 1, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  Problem out(LinearModel(std::move(features), labels, LogisticLoss{}, Vector::Constant(n, 1e-4)));
  out.subject_to(rows, Vector::Constant(n - 1, -0.05), Vector::Constant(n - 1, 0.05));
  return out;
}

enum class RowKind { none, few_long, many_short, very_many_short };
Problem large(Index samples, RowKind kind, const Loss& loss) {
  constexpr Index n = 100'000, nonzeros = 50;
  SparseRows features = made_up_data(samples, n, nonzeros, 3);
  features *= 1 / std::sqrt(static_cast<double>(nonzeros));
  Vector truth(n);
  made_up.fill_normal(truth, 1 << 25);
  const Vector labels = noisy_labels(features, 3 * truth);
  Problem out(LinearModel(std::move(features), labels, loss, Vector::Constant(n, 1e-5)));
  out.within(Box(Vector::Constant(n, -0.5), Vector::Constant(n, 0.5)));
  if (kind == RowKind::none) return out;
  const Index count = kind == RowKind::few_long ? 10 : kind == RowKind::many_short ? 1000 : n - 1;
  Entries entries = kind == RowKind::few_long ? Entries{} : neighbours(count);
  if (kind == RowKind::few_long)
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < n; ++j)
        if (made_up.uniform(static_cast<std::uint64_t>(j), static_cast<std::uint32_t>(500 + i)) < 0.02)
          entries.emplace_back(i, j, 1.0);
  SparseRows rows(count, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  const double width = kind == RowKind::few_long ? 5 : 0.02;
  out.subject_to(rows, Vector::Constant(count, -width), Vector::Constant(count, width));
  return out;
}

}  // namespace

std::vector<TimedProblem> second_order_problems(const fs::path& folder) {
  const fs::path data = fs::absolute(folder);
  return {
      {"adult logistic-difference", [=] { return adult(data, LogisticDifferenceLoss{}); }},
      {"adult logistic", [=] { return adult(data, LogisticLoss{}); }},
      {"adult smoothed-01", [=] { return adult(data, SmoothedZeroOneLoss{}); }, 1},
      {"adult cauchy", [=] { return adult(data, CauchyLoss{}); }},
      {"adult badly scaled", [=] { return badly_scaled(adult(data, LogisticDifferenceLoss{})); }},
      {"a9a monotone, signs, budget", [=] { return a9a(data, LogisticLoss{}, true); }},
      {"a9a signs only", [=] { return a9a(data, LogisticLoss{}, false); }},
      {"bands n = 200", [] { return bands(200); }},
      {"bands n = 1000", [] { return bands(1000); }},
      {"bands n = 5000", [] { return bands(5000); }},
      {"bands n = 20,000", [] { return bands(20'000); }},
      {"n = 100,000, bounds only", [] { return large(200'000, RowKind::none, LogisticLoss{}); }},
      {"n = 100,000, 10 rows", [] { return large(200'000, RowKind::few_long, LogisticLoss{}); }},
      {"n = 100,000, 1,000 rows", [] { return large(200'000, RowKind::many_short, LogisticLoss{}); }},
      {"n = 100,000, 99,999 rows", [] { return large(200'000, RowKind::very_many_short, LogisticLoss{}); }},
      {"n = 100,000, 10 rows, logistic-difference",
       [] { return large(200'000, RowKind::few_long, LogisticDifferenceLoss{}); }},
      {"n = 100,000, 10 rows, N = 1e6", [] { return large(1'000'000, RowKind::few_long, LogisticLoss{}); }, 0,
       true},
      {"n = 100,000, 1,000 rows, N = 1e6",
       [] { return large(1'000'000, RowKind::many_short, LogisticLoss{}); }, 0, true},
  };
}

}  // namespace bridle::bench
