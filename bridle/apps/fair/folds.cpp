#include "bridle/apps/fair/folds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bridle/core/error.hpp"
#include "bridle/core/random.hpp"

namespace bridle {
namespace {

template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, const std::vector<Index>& rows) {
  std::vector<Value> out;
  if (values.empty()) return out;
  out.reserve(rows.size());
  for (const Index i : rows) out.push_back(values[static_cast<std::size_t>(i)]);
  return out;
}

std::vector<Index> shuffled(Index rows, std::uint64_t seed) {
  std::vector<Index> out(static_cast<std::size_t>(rows));
  std::iota(out.begin(), out.end(), Index{0});
  const Stream stream(seed, Purpose::permutation);
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[stream.below(i, i)]);
  return out;
}

Split cut(const std::vector<Index>& order, std::size_t first, std::size_t last) {
  Split out;
  for (std::size_t k = 0; k < order.size(); ++k)
    (k >= first && k < last ? out.held_out : out.train).push_back(order[k]);
  std::sort(out.train.begin(), out.train.end());
  std::sort(out.held_out.begin(), out.held_out.end());
  return out;
}

}  // namespace

FairData part_of(const FairData& data, const Features& features, const std::vector<Index>& rows) {
  FairData out{data.file, 0, 0, 0, features.part(rows), data.labels(rows), {}, {}};
  for (const auto& attribute : data.attributes) {
    Attribute part = attribute;
    part.numbers = picked(attribute.numbers, rows);
    part.codes = picked(attribute.codes, rows);
    out.attributes.push_back(std::move(part));
  }
  for (const auto& kept : data.kept) out.kept.push_back(picked(kept, rows));
  if (data.weights.size() > 0) out.weights = data.weights(rows);
  return out;
}

Split split_off(Index rows, double share, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(rows)));
  return cut(shuffled(rows, seed), 0, count);
}

Split fold_of(Index rows, int number, int count, std::uint64_t seed) {
  const auto all = static_cast<std::size_t>(rows);
  const auto k = static_cast<std::size_t>(number), parts = static_cast<std::size_t>(count);
  return cut(shuffled(rows, seed), k * all / parts, (k + 1) * all / parts);
}

Validation validation_of(TrainingData all, double share, std::uint64_t seed) {
  const Split split = split_off(all.data.samples(), share, seed);
  if (split.train.empty() || split.held_out.empty())
    throw InputError(all.data.file, 0, "too few rows to hold some of them out");
  FairData train = part_of(all.data, all.data.features, split.train);
  FairData held_out = part_of(all.data, all.data.features, split.held_out);
  train.dropped_rows = all.data.dropped_rows;
  train.imputed = all.data.imputed;
  held_out.file += " (held out)";
  return {{std::move(train), std::move(all.encoding), std::move(all.target), std::move(all.fills),
           std::move(all.notes)},
          std::move(held_out)};
}

FairProblem restated(const FairProblem& problem, const DataStatement& data, const FairStatement& statement) {
  const TrainingData& all = problem.training();
  std::vector<Index> rows(static_cast<std::size_t>(all.data.samples()));
  std::iota(rows.begin(), rows.end(), Index{0});
  FairData copy = part_of(all.data, problem.features(), rows);
  copy.dropped_rows = all.data.dropped_rows;
  copy.imputed = all.data.imputed;
  return {{std::move(copy), all.encoding, all.target, all.fills, all.notes}, data, statement};
}

CrossValidation cross_validate(const FairProblem& problem, const DataStatement& data,
                               const FairStatement& statement, int folds, std::uint64_t seed,
                               const Trainer& train, const RateStatement* rates) {
  const TrainingData& all = problem.training();
  const Features& features = problem.features();
  CrossValidation out;
  out.folds = folds;
  Vector scores(all.data.samples());
  for (int k = 0; k < folds; ++k) {
    const Split split = fold_of(all.data.samples(), k, folds, seed);
    const FairProblem part({part_of(all.data, features, split.train), all.encoding, all.target, all.fills},
                           data, statement);
    const FairData held_out = part_of(all.data, features, split.held_out);
    const Fit fitted = train(part, &held_out);
    scores(split.held_out) = part.scores(held_out.features, fitted.result.x);
    out.accuracies.push_back(fitted.test ? fitted.test->accuracy : 0);
  }
  out.held_out = measure(all.data, scores, statement.loss);
  if (rates) out.rates = spread_of(Cells(all.data, rates->measure, rates->smallest_group), all.data, scores);
  out.platt = fit_platt(scores, all.data.labels);
  return out;
}

Classifier::Platt fit_platt(const Vector& scores, const Vector& labels) {
  const auto positives = static_cast<double>((labels.array() > 0).count());
  const double negatives = static_cast<double>(labels.size()) - positives;
  const double high = (positives + 1) / (positives + 2), low = 1 / (negatives + 2);
  Classifier::Platt out{0, std::log((positives + 1) / (negatives + 1))};
  const auto loss_at = [&](const Classifier::Platt& p) {
    double sum = 0;
    for (Index i = 0; i < scores.size(); ++i) {
      const double t = p.slope * scores[i] + p.shift, target = labels[i] > 0 ? high : low;
      sum += std::max(t, 0.0) - target * t + std::log1p(std::exp(-std::abs(t)));
    }
    return sum;
  };
  double loss = loss_at(out);
  for (int step = 0; step < 100; ++step) {
    double g[2] = {0, 0}, h[3] = {1e-12, 0, 1e-12};
    for (Index i = 0; i < scores.size(); ++i) {
      const double p = 1 / (1 + std::exp(-(out.slope * scores[i] + out.shift)));
      const double d = p - (labels[i] > 0 ? high : low), q = p * (1 - p);
      g[0] += d * scores[i];
      g[1] += d;
      h[0] += q * scores[i] * scores[i];
      h[1] += q * scores[i];
      h[2] += q;
    }
    const double determinant = h[0] * h[2] - h[1] * h[1];
    if (!(determinant > 0)) break;
    const double slope = -(h[2] * g[0] - h[1] * g[1]) / determinant;
    const double shift = -(h[0] * g[1] - h[1] * g[0]) / determinant;
    const double promised = -(slope * g[0] + shift * g[1]);
    if (!(promised > 1e-10 * (1 + loss))) break;
    double length = 1;
    for (; length > 1e-10; length /= 2) {
      const Classifier::Platt next{out.slope + length * slope, out.shift + length * shift};
      const double there = loss_at(next);
      if (there > loss - 1e-4 * length * promised) continue;
      out = next;
      loss = there;
      break;
    }
    if (length <= 1e-10) break;
  }
  return out;
}

}  // namespace bridle
