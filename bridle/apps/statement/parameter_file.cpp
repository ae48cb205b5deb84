#include "bridle/apps/statement/parameter_file.hpp"

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
  if (metric == "cholesky")
    out.metric = MetricKind::cholesky;
  else if (metric == "diagonal")
    out.metric = MetricKind::diagonal;
  else if (metric != "identity")
    throw file.error(
        *file.find("metric"), "metric",
        "'" + metric + "' is unknown" + did_you_mean(metric, {"identity", "diagonal", "cholesky"}));
  file.refuse_unknown_keys();
  return out;
}

}  // namespace bridle
