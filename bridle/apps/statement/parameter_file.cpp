#include "bridle/apps/statement/parameter_file.hpp"

#include <fmt/format.h>

#include "bridle/apps/statement/toml_file.hpp"
#include "bridle/apps/statement/toml_section.hpp"

namespace bridle {

GivenParameters read_parameters(const std::string& path) {
  const toml::table root = parse_toml(path);
  TomlSection file(path, "parameters", &root);
  const auto number = [&](const char* key, std::optional<double> fallback) {
    const auto value = file.number(key);
    if (value && (!(*value >= 0) || !is_finite(*value)))
      throw file.error(*file.find(key), key, "must be finite and >= 0");
    if (!value && !fallback) throw InputError(path, 0, std::string("the parameter '") + key + "' is missing");
    return value.value_or(fallback.value_or(0));
  };
  GivenParameters out;
  out.parameters.tau = number("tau", {});
  out.parameters.eta = number("eta", {});
  out.parameters.beta = number("beta", {});
  out.parameters.mu = number("mu", {});
  out.parameters.rho = number("rho", {});
  out.parameters.alpha = number("alpha", 1.0);
  out.schedule.floor = number("floor", 0.01);
  out.schedule.penalty_growth = number("penalty_growth", 1.0);
  if (out.schedule.penalty_growth < 1)
    throw file.error(*file.find("penalty_growth"), "penalty_growth", "must be at least 1");

  const std::string decay = file.text("decay").value_or("constant");
  Names decays;
  for (const Decay d : all_decays) {
    decays.emplace_back(to_string(d));
    if (to_string(d) == decay) out.schedule.decay = d;
  }
  if (to_string(out.schedule.decay) != decay)
    throw file.error(*file.find("decay"), "decay",
                     "'" + decay + "' is unknown" + did_you_mean(decay, decays));
  const std::string metric = file.text("metric").value_or("identity");
  Names metrics;
  for (const MetricKind kind : {MetricKind::identity, MetricKind::diagonal, MetricKind::cholesky}) {
    metrics.emplace_back(to_string(kind));
    if (to_string(kind) == metric) out.metric = kind;
  }
  if (to_string(out.metric) != metric)
    throw file.error(*file.find("metric"), "metric",
                     "'" + metric + "' is unknown" + did_you_mean(metric, metrics));
  if (const auto scales = file.numbers("columns")) {
    out.columns = Eigen::Map<const Vector>(scales->data(), static_cast<Index>(scales->size()));
    for (const double scale : *scales)
      if (!(scale > 0) || !is_finite(scale))
        throw file.error(*file.find("columns"), "columns", "must be finite and > 0");
  }
  file.refuse_unknown_keys();
  return out;
}

std::string parameters_text(const GivenParameters& choice, const Reasons& reasons) {
  const auto line = [&](const char* key, double value) {
    std::string out = fmt::format("{} = {}", key, value);
    for (const auto& reason : reasons)
      if (reason.symbol == key) out = fmt::format("{:<32}# {}", out, reason.why);
    return out + "\n";
  };
  const Parameters& p = choice.parameters;
  std::string out = line("tau", p.tau) + line("eta", p.eta) + line("beta", p.beta) + line("mu", p.mu) +
                    line("rho", p.rho) + line("alpha", p.alpha);
  out += fmt::format("decay = \"{}\"\nfloor = {}\npenalty_growth = {}\n", to_string(choice.schedule.decay),
                     choice.schedule.floor, choice.schedule.penalty_growth);
  out += fmt::format("metric = \"{}\"\n", to_string(choice.metric));
  if (choice.columns.size() && !(choice.columns.array() == 1).all())
    out += fmt::format("columns = [{}]\n", fmt::join(choice.columns, ", "));
  return out;
}

}  // namespace bridle
