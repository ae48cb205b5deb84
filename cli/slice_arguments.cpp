#include "slice_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "bridle/apps/slicing/instance_file.hpp"
#include "bridle/apps/slicing/objective.hpp"
#include "bridle/apps/slicing/shortage.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"

namespace bridle::cli {
namespace {

constexpr const char *default_chain = "2:4", *default_capacities = "uniform";

bool is_instance(const std::string& path) { return std::filesystem::path(path).extension() == ".toml"; }

GenerateOptions generate_options(const SliceArguments& a) {
  GenerateOptions out;
  out.tight = a.tight;
  out.function_file = a.functions;
  out.seed = a.instance_seed > 0 ? a.instance_seed : a.options.seed;
  const std::string capacities = a.capacities.value_or(default_capacities);
  out.capacities = capacities == "installed" ? Capacities::installed
                   : capacities == "modules" ? Capacities::modules
                                             : Capacities::uniform;
  const char* const last = a.flows.data() + a.flows.size();
  const auto [end, code] = std::from_chars(a.flows.data(), last, out.flows);
  if (code != std::errc{} || end != last) out.flow_file = a.flows;
  if (out.flow_file.empty() && (out.flows < 1 || out.flows > 10000))
    throw InputError("--flows " + a.flows + ": the number of flows must be from 1 to 10000");
  const std::string chain = a.chain.value_or(default_chain);
  const auto colon = chain.find(':');
  double shortest = 0, longest = 0;
  const int most = a.functions.empty() ? 5 : static_cast<int>(longest_chain);
  const bool sound = io::parse_number(chain.substr(0, colon), shortest) &&
                     (colon == std::string::npos ? (longest = shortest, true)
                                                 : io::parse_number(chain.substr(colon + 1), longest)) &&
                     shortest >= 1 && shortest <= longest && longest <= most &&
                     shortest == std::floor(shortest) && longest == std::floor(longest);
  if (!sound)
    throw InputError(
        fmt::format("--chain '{}': it must be LOW:HIGH with whole 1 <= LOW <= HIGH <= {}", chain, most));
  out.shortest_chain = static_cast<std::size_t>(shortest);
  out.longest_chain = static_cast<std::size_t>(longest);
  return out;
}

// What the options say of every instance.
SliceInstance adapted(const SliceArguments& a, SliceInstance instance) {
  for (auto& flow : instance.flows)
    if (a.max_delay && !flow.in_a_hurry()) flow.max_delay = *a.max_delay;
  return with_objective(with_larger_links(std::move(instance), a.capacity_factor), objective_of(a));
}

SliceInstance generated(const SliceArguments& a, const GenerateOptions& options) {
  return adapted(a, generate_instance(read_topology(a.network), options));
}

void add_instance_options(CLI::App& command, SliceArguments& a) {
  command
      .add_option("NETWORK", a.network,
                  "SNDlib (.txt, .xml) or GraphML network, or a complete instance (.toml)")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--flows", a.flows,
                  "Number of flows to draw from the demands, or a CSV file source,target,rate,chain")
      ->type_name("K|FILE");
  command
      .add_option("--functions", a.functions,
                  "Which node offers which functions: a CSV file node,capacity,functions (default: made up)")
      ->type_name("FILE");
  command
      .add_option("--chain", a.chain,
                  fmt::format("Functions per flow, from LOW to HIGH (default: {})", default_chain))
      ->type_name("LOW:HIGH");
  command.add_flag("--tight", a.tight, "Capacities 1.2 and 1.3 times what is needed, not 1.5 and 2");
  command
      .add_option(
          "--capacities", a.capacities,
          fmt::format("Of the links: one for all by the rule above, what is installed, or that and the "
                      "largest module (default: {})",
                      default_capacities))
      ->check(CLI::IsMember({"uniform", "installed", "modules"}))
      ->type_name("uniform|installed|modules");
  command.add_option("--capacity-factor", a.capacity_factor, "Multiplies the capacities of all links")
      ->check(positive())
      ->type_name("F")
      ->capture_default_str();
  command.add_option("--instance-seed", a.instance_seed, "Seed of hosts and flows (default: that of --seed)")
      ->check(positive_whole())
      ->type_name("S");
}

void add_run_options(CLI::App& command, SliceArguments& a) {
  command
      .add_option("--max-delay", a.max_delay,
                  "Bound on the delay of every way of the flows that have none of their own")
      ->check(at_least_zero())
      ->type_name("D");
  command
      .add_option("--objective", a.objective,
                  "Little traffic (rate times links), little delay (rate times delay), or a small largest "
                  "use of any capacity")
      ->check(CLI::IsMember({"traffic", "delay", "balance"}))
      ->type_name("traffic|delay|balance")
      ->capture_default_str();
  command.add_option("--seed", a.options.seed, "Seed of every random number")
      ->check(whole())
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--runs", a.options.runs, "Runs from seeds S, S+1, ...; the best is returned")
      ->check(positive_whole())
      ->type_name("R")
      ->capture_default_str();
  command
      .add_option("--branches", a.options.branches,
                  "Branches over hostings that may raise the bound (default: a few seconds of them; 0: none)")
      ->check(whole_count())
      ->type_name("N");
  command.add_option("--threads", a.options.threads, "Threads of the runs (default: one per processor)")
      ->check(positive_whole())
      ->type_name("T");
  command.add_option("--time-limit", a.options.time_limit, "Stop searching after so many seconds")
      ->check(positive())
      ->type_name("S");
  command
      .add_option(
          "--uncertain", a.uncertain,
          "Random rates around the stated ones: lognormal:S (standard deviation) or uniform:S (half width), "
          "S relative")
      ->type_name("DIST:S");
  command.add_option("--samples", a.samples, "Samples of all rates: CSV with a column per flow")
      ->type_name("FILE");
  command
      .add_option("--margin", a.margin,
                  "Part of every capacity kept free of the expected load (default: 0.1)")
      ->check(at_least_zero())
      ->type_name("M");
  command
      .add_option("--overload", a.overload,
                  "Choose the margin: some capacity is exceeded in this part of fresh samples at most")
      ->check(number_rule("a number in [0, 1)", [](double v) { return v >= 0 && v < 1; }))
      ->type_name("P");
}

void add_outputs(CLI::App& command, SliceArguments& a) {
  command.add_option("--json", a.json, "Write all figures as JSON ('-': standard output)")->type_name("FILE");
  command.add_option("--report", a.report, "Write a report that draws the network, one HTML file")
      ->type_name("FILE");
  command.add_option("--write-instance", a.write_instance, "Write the complete instance as TOML")
      ->type_name("FILE");
  command.add_option("--write-lp", a.write_lp, "Write the exact program with 0-1 variables in LP format")
      ->type_name("FILE");
  command.add_flag("--quiet", a.quiet, "Print nothing but errors");
}

}  // namespace

SliceObjective objective_of(const SliceArguments& a) {
  return a.objective == "delay"     ? SliceObjective::delay
         : a.objective == "balance" ? SliceObjective::balance
                                    : SliceObjective::traffic;
}

SliceInstance load_instance(const SliceArguments& a) {
  if (is_instance(a.network)) {
    const std::pair<bool, const char*> given[] = {{!a.flows.empty(), "--flows"},
                                                  {!a.functions.empty(), "--functions"},
                                                  {a.tight, "--tight"},
                                                  {a.chain.has_value(), "--chain"},
                                                  {a.capacities.has_value(), "--capacities"},
                                                  {a.instance_seed > 0, "--instance-seed"}};
    for (const auto& [is_given, option] : given)
      if (is_given)
        throw InputError(std::string(option) + " belongs to a network; " + a.network +
                         " is a complete instance");
    return adapted(a, read_instance(a.network));
  }
  if (a.flows.empty()) throw InputError("--flows is needed: a number of flows, or a file");
  return generated(a, generate_options(a));
}

std::optional<SliceInstance> load_with_modules(const SliceArguments& a) {
  if (is_instance(a.network) || a.capacities != "installed") return {};
  GenerateOptions options = generate_options(a);
  options.capacities = Capacities::modules;
  return generated(a, options);
}

void add_slice_options(CLI::App& command, SliceArguments& a) {
  add_instance_options(command, a);
  add_run_options(command, a);
  add_outputs(command, a);
}

}  // namespace bridle::cli
