#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/slicing/generate.hpp"
#include "bridle/apps/slicing/instance_file.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/report/slicing/slice_report.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

int slice_exit_code(SliceStatus status) {
  switch (status) {
    case SliceStatus::placed:
      return exit_certified;
    case SliceStatus::not_placed:
      return exit_not_certified;
    case SliceStatus::infeasible:
      return exit_infeasible;
    case SliceStatus::interrupted:
      return exit_interrupted;
  }
  return exit_not_certified;
}

struct SliceArguments {
  std::string network, flows, functions, chain = "2:4", capacities = "uniform";
  std::string uncertain, samples, json, report, write_instance, write_lp;
  std::optional<double> margin;
  bool tight = false, quiet = false;
  std::uint64_t instance_seed = 0;
  SliceOptions options;
};

bool is_instance(const std::string& path) { return std::filesystem::path(path).extension() == ".toml"; }

GenerateOptions generate_options(const SliceArguments& a) {
  GenerateOptions out;
  out.tight = a.tight;
  out.function_file = a.functions;
  out.seed = a.instance_seed > 0 ? a.instance_seed : a.options.seed;
  out.capacities = a.capacities == "installed" ? Capacities::installed
                   : a.capacities == "modules" ? Capacities::modules
                                               : Capacities::uniform;
  const char* const last = a.flows.data() + a.flows.size();
  const auto [end, code] = std::from_chars(a.flows.data(), last, out.flows);
  if (code != std::errc{} || end != last) out.flow_file = a.flows;
  if (out.flow_file.empty() && (out.flows < 1 || out.flows > 10000))
    throw InputError("--flows " + a.flows + ": the number of flows must be from 1 to 10000");
  const auto colon = a.chain.find(':');
  double shortest = 0, longest = 0;
  const int most = a.functions.empty() ? 5 : static_cast<int>(longest_chain);
  const bool sound = io::parse_number(a.chain.substr(0, colon), shortest) &&
                     (colon == std::string::npos ? (longest = shortest, true)
                                                 : io::parse_number(a.chain.substr(colon + 1), longest)) &&
                     shortest >= 1 && shortest <= longest && longest <= most &&
                     shortest == std::floor(shortest) && longest == std::floor(longest);
  if (!sound)
    throw InputError(
        fmt::format("--chain '{}': it must be LOW:HIGH with whole 1 <= LOW <= HIGH <= {}", a.chain, most));
  out.shortest_chain = static_cast<std::size_t>(shortest);
  out.longest_chain = static_cast<std::size_t>(longest);
  return out;
}

SliceInstance load(const SliceArguments& a) {
  if (is_instance(a.network)) {
    if (!a.flows.empty() || !a.functions.empty() || a.tight)
      throw InputError("--flows, --functions and --tight belong to a network; " + a.network +
                       " is a complete instance");
    return read_instance(a.network);
  }
  if (a.flows.empty()) throw InputError("--flows is needed: a number of flows, or a file");
  return generate_instance(read_topology(a.network), generate_options(a));
}

class SliceCommand {
 public:
  explicit SliceCommand(const SliceArguments& a) : a_(a), instance_(load(a)) {
    if (!a.uncertain.empty() && !a.samples.empty()) throw InputError("give either --uncertain or --samples");
    if (!a.uncertain.empty()) demand_ = UncertainDemand::from_distribution(a.uncertain, instance_);
    if (!a.samples.empty()) demand_ = UncertainDemand::from_samples(a.samples, instance_);
    if (a.margin && !demand_) throw InputError("--margin needs --uncertain or --samples");
    if (a.margin && !(*a.margin < 1)) throw InputError("--margin must be in [0, 1)");
    load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  int run() {
    Screen::catch_interrupts();
    screen_.banner();
    screen_.text(instance_line(instance_));
    if (write_instance_.wanted()) write_instance_.write(instance_text(instance_));
    if (write_lp_.wanted()) write_lp_.write(lp_text(Formulation(planned())));
    SliceWatch watch;
    std::mutex lock;
    watch.note = [&](const std::string& text) {
      const std::lock_guard hold(lock);
      screen_.text(text + "\n");
    };
    watch.interrupted = [&] { return screen_.interrupted(); };
    const SliceInstance& planning = planned();
    const SliceResult result = slice(planning, a_.options, watch, demand_ ? &*demand_ : nullptr);
    return tell(result);
  }

 private:
  double margin() const { return a_.margin.value_or(0.1); }
  const SliceInstance& planned() {
    if (demand_ && !planned_) planned_ = planning_instance(instance_, *demand_, margin());
    return demand_ ? *planned_ : instance_;
  }

  int tell(const SliceResult& result) {
    std::optional<Overload> overload;
    if (demand_ && result.feasible())
      overload = measure_overload(instance_, result.plan, *demand_, a_.options.seed);
    const SliceSetting setting{instance_,
                               result,
                               load_seconds_,
                               demand_ ? &*demand_ : nullptr,
                               demand_ ? margin() : 0,
                               overload ? &*overload : nullptr};
    const Json json = slice_json(setting);
    if (json_.wanted()) json_.write(to_text(json));
    if (report_.wanted()) report_.write(slice_html(json));
    if (result.status == SliceStatus::infeasible) {
      fmt::print(stderr, "bridle: infeasible: no placement keeps all capacities; in conflict: {}\n",
                 conflict_text(result.bound));
      return slice_exit_code(result.status);
    }
    screen_.text("\n" + slice_text(setting));
    return screen_.interrupted() ? exit_interrupted : slice_exit_code(result.status);
  }

  const SliceArguments& a_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SliceInstance instance_;
  std::optional<UncertainDemand> demand_;
  std::optional<SliceInstance> planned_;
  double load_seconds_ = 0;
  Destination json_{a_.json}, report_{only_a_file("--report", a_.report)},
      write_instance_{only_a_file("--write-instance", a_.write_instance)},
      write_lp_{only_a_file("--write-lp", a_.write_lp)};
  Screen screen_{{.stream = screen_stream(a_.quiet, a_.json)}};
};

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
  command.add_option("--chain", a.chain, "Functions per flow, from LOW to HIGH")
      ->type_name("LOW:HIGH")
      ->capture_default_str();
  command.add_flag("--tight", a.tight, "Capacities 1.2 and 1.3 times what is needed, not 1.5 and 2");
  command
      .add_option(
          "--capacities", a.capacities,
          "Of the links: one for all by the rule above, what is installed, or that and the largest module")
      ->check(CLI::IsMember({"uniform", "installed", "modules"}))
      ->type_name("uniform|installed|modules")
      ->capture_default_str();
  command.add_option("--instance-seed", a.instance_seed, "Seed of hosts and flows (default: that of --seed)")
      ->check(positive_whole())
      ->type_name("S");
}

void add_run_options(CLI::App& command, SliceArguments& a) {
  command.add_option("--seed", a.options.seed, "Seed of every random number")
      ->check(whole())
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--runs", a.options.runs, "Runs from seeds S, S+1, ...; the best is returned")
      ->check(positive_whole())
      ->type_name("R")
      ->capture_default_str();
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

Action add_slice(CLI::App& app) {
  auto a = std::make_shared<SliceArguments>();
  auto* command = app.add_subcommand("slice", "Place service chains on a network and route their traffic");
  add_instance_options(*command, *a);
  add_run_options(*command, *a);
  add_outputs(*command, *a);
  return [a] { return SliceCommand(*a).run(); };
}

}  // namespace bridle::cli
