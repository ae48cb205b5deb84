#include "bridle/apps/slicing/uncertain.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bridle/apps/slicing/fields.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"

namespace bridle {
namespace {

constexpr std::size_t fresh_draws = 10'000, rehearsal_draws = 40'000;
constexpr Index held_out_every = 5;

}  // namespace

UncertainDemand UncertainDemand::from_distribution(const std::string& text, const SliceInstance& instance) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  UncertainDemand out;
  if (name == "uniform")
    out.kind_ = Kind::uniform;
  else if (name != "lognormal")
    throw InputError("--uncertain: unknown distribution " + io::in_quotes(name) +
                     did_you_mean(name, {"lognormal", "uniform"}));
  const double most = out.kind_ == Kind::uniform ? 1 : 10;
  if (colon == std::string::npos ||
      !io::parse_number(std::string_view(text).substr(colon + 1), out.spread_) ||
      !(out.spread_ > 0 && out.spread_ <= most))
    throw InputError(
        fmt::format("--uncertain {}: the spread after ':' must be in (0, {}]", io::in_quotes(text), most));
  out.mean_.resize(static_cast<Index>(instance.flows.size()));
  for (Index k = 0; k < out.mean_.size(); ++k)
    out.mean_[k] = instance.flows[static_cast<std::size_t>(k)].rate;
  out.description_ =
      fmt::format("independent {} rates, {} {:.4g} of the mean", name,
                  out.kind_ == Kind::uniform ? "half width" : "standard deviation", out.spread_);
  return out;
}

UncertainDemand UncertainDemand::from_samples(const std::string& path, const SliceInstance& instance) {
  const std::size_t flows = instance.flows.size();
  ListRecords records(path);
  if (!records.next()) throw InputError(path, 0, "is empty");
  std::vector<std::size_t> column_of(flows, flows);  // of each flow
  const auto header = records.fields();
  for (std::size_t k = 0; k < flows; ++k) {
    const auto found = std::find(header.begin(), header.end(), instance.flows[k].name);
    if (found == header.end())
      throw InputError(path, records.line(),
                       "has no column for flow " + io::in_quotes(instance.flows[k].name));
    column_of[k] = static_cast<std::size_t>(found - header.begin());
  }
  std::vector<Vector> seen, kept;
  while (records.next()) {
    const auto& fields = records.fields();
    if (fields.size() != header.size())
      throw InputError(path, records.line(),
                       fmt::format("{} fields; the header has {}", fields.size(), header.size()));
    Vector rates(static_cast<Index>(flows));
    for (std::size_t k = 0; k < flows; ++k) {
      double& rate = rates[static_cast<Index>(k)];
      if (!records.parse_number(fields[column_of[k]], rate) || !(rate >= 0) || !std::isfinite(rate))
        throw InputError(path, records.line(),
                         "the rate " + io::in_quotes(fields[column_of[k]]) + " is no finite number >= 0");
    }
    const auto number = static_cast<Index>(seen.size() + kept.size()) + 1;
    (number % held_out_every == 0 ? kept : seen).push_back(std::move(rates));
  }
  if (kept.empty())
    throw InputError(path, 0,
                     fmt::format("has {} samples; at least {} are needed", seen.size(), held_out_every));
  UncertainDemand out;
  out.kind_ = Kind::samples;
  const auto side_by_side = [&](const std::vector<Vector>& all) {
    Matrix matrix(static_cast<Index>(flows), static_cast<Index>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) matrix.col(static_cast<Index>(i)) = all[i];
    return matrix;
  };
  out.samples_ = side_by_side(seen);
  out.held_out_ = side_by_side(kept);
  out.mean_ = out.samples_.rowwise().mean();
  for (std::size_t k = 0; k < flows; ++k)
    if (!(out.mean_[static_cast<Index>(k)] > 0))
      throw InputError(path, 0,
                       "flow " + io::in_quotes(instance.flows[k].name) + " has rate 0 in all samples");
  out.description_ = fmt::format("{} samples of all rates, {} more held out", seen.size(), kept.size());
  return out;
}

Vector UncertainDemand::draw(std::uint64_t zeta) const {
  const Stream stream(zeta, Purpose::noise);
  if (kind_ == Kind::samples)
    return samples_.col(static_cast<Index>(stream.below(static_cast<std::uint64_t>(samples_.cols()), 0)));
  Vector out(mean_.size());
  if (kind_ == Kind::uniform) {
    for (Index k = 0; k < out.size(); ++k)
      out[k] = mean_[k] * (1 + spread_ * (2 * stream.uniform(static_cast<std::uint64_t>(k)) - 1));
    return out;
  }
  const double deviation = std::sqrt(std::log1p(spread_ * spread_));  // of the logarithm
  stream.fill_normal(out, 0);
  return mean_.array() * (deviation * out.array() - 0.5 * deviation * deviation).exp();
}

Vector UncertainDemand::trial(TrialRates which, std::size_t i, std::uint64_t seed) const {
  const bool fresh = which == TrialRates::fresh;
  if (kind_ == Kind::samples) return (fresh ? held_out_ : samples_).col(static_cast<Index>(i));
  return draw(Stream(seed, fresh ? Purpose::certificate : Purpose::samples).bits(i).first);
}

std::size_t UncertainDemand::trial_count(TrialRates which) const {
  const bool fresh = which == TrialRates::fresh;
  if (kind_ == Kind::samples) return static_cast<std::size_t>((fresh ? held_out_ : samples_).cols());
  return fresh ? fresh_draws : rehearsal_draws;
}

SliceInstance planning_instance(const SliceInstance& instance, const UncertainDemand& demand, double margin) {
  SliceInstance out = instance;
  for (std::size_t k = 0; k < out.flows.size(); ++k) out.flows[k].rate = demand.mean()[static_cast<Index>(k)];
  for (auto& node : out.nodes) node.capacity *= 1 - margin;
  for (auto& link : out.links) link.capacity *= 1 - margin;
  return out;
}

SampledCapacities::SampledCapacities(const Formulation& formulation, UncertainDemand demand)
    : rows_(formulation.capacities().matrix),
      flow_(static_cast<std::size_t>(formulation.variables())),
      demand_(std::move(demand)) {
  const SliceInstance& instance = formulation.instance();
  for (std::size_t k = 0; k < instance.flows.size(); ++k)
    for (std::size_t s = 0; s <= instance.flows[k].chain.size(); ++s)
      for (std::size_t l = 0; l < instance.links.size(); ++l)
        flow_[static_cast<std::size_t>(formulation.traffic(k, s, l))] = k;
  for (const auto& choice : formulation.choices())
    for (std::size_t j = 0; j < choice.hosts.size(); ++j)
      flow_[static_cast<std::size_t>(choice.first) + j] = choice.flow;
}

void SampledCapacities::draw(Sample zeta, RowSample& out) const {
  const Vector ratio = demand_.draw(zeta).cwiseQuotient(demand_.mean());
  for (Index i = 0; i < rows_.rows(); ++i) {
    out.begin_row(i, 1, 0);
    for (SparseRows::InnerIterator it(rows_, i); it; ++it)
      out.add(it.col(), it.value() * ratio[static_cast<Index>(flow_[static_cast<std::size_t>(it.col())])]);
  }
}

Overload measure_overload(const SliceInstance& instance, const SlicePlan& plan, const UncertainDemand& demand,
                          std::uint64_t seed, TrialRates which) {
  const auto nodes = static_cast<Index>(instance.nodes.size()),
             links = static_cast<Index>(instance.links.size());
  const auto flows = static_cast<Index>(instance.flows.size());
  Matrix per_rate = Matrix::Zero(nodes + links, flows);  // load per unit of a flow's rate
  Vector capacity(nodes + links);
  for (Index i = 0; i < nodes; ++i) capacity[i] = instance.nodes[static_cast<std::size_t>(i)].capacity;
  for (Index l = 0; l < links; ++l)
    capacity[nodes + l] = instance.links[static_cast<std::size_t>(l)].capacity;
  for (Index k = 0; k < flows; ++k) {
    for (const std::size_t node : plan.placement[static_cast<std::size_t>(k)])
      per_rate(static_cast<Index>(node), k) += 1;
    for (const Leg& leg : plan.legs[static_cast<std::size_t>(k)])
      for (const Route& route : leg.routes)
        for (const std::size_t l : route.links)
          per_rate(nodes + static_cast<Index>(l), k) += route.rate / demand.mean()[k];
  }
  Overload out;
  out.samples = demand.trial_count(which);
  Vector often = Vector::Zero(nodes + links);
  for (std::size_t i = 0; i < out.samples; ++i) {
    const Vector over = per_rate * demand.trial(which, i, seed) - (1 + 1e-9) * capacity;
    often.array() += (over.array() > 0).cast<double>();
    out.any += over.maxCoeff() > 0 ? 1 : 0;
    out.excess += over.cwiseMax(0).sum();
  }
  const auto count = static_cast<double>(out.samples);
  out.nodes = often.head(nodes) / count;
  out.links = often.tail(links) / count;
  out.any /= count;
  out.excess /= count;
  out.standard_error = std::sqrt(out.any * (1 - out.any) / count);
  return out;
}

}  // namespace bridle
