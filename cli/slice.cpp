#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "bridle/apps/slicing/instance_file.hpp"
#include "bridle/apps/slicing/margin.hpp"
#include "bridle/apps/slicing/shortage.hpp"
#include "bridle/core/error.hpp"
#include "bridle/report/destination.hpp"
#include "bridle/report/screen.hpp"
#include "bridle/report/slicing/slice_report.hpp"

#include "slice_arguments.hpp"

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

class SliceCommand {
 public:
  explicit SliceCommand(const SliceArguments& a) : a_(a), instance_(load_instance(a)) {
    if (!a.uncertain.empty() && !a.samples.empty()) throw InputError("give either --uncertain or --samples");
    if (!a.uncertain.empty()) demand_ = UncertainDemand::from_distribution(a.uncertain, instance_);
    if (!a.samples.empty()) demand_ = UncertainDemand::from_samples(a.samples, instance_);
    if (a.margin && !demand_) throw InputError("--margin needs --uncertain or --samples");
    if (a.overload && !demand_) throw InputError("--overload needs --uncertain or --samples");
    if (a.overload && a.margin)
      throw InputError("give either --margin or --overload, which chooses the margin");
    if (a.margin && !(*a.margin < 1)) throw InputError("--margin must be in [0, 1)");
    load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  int run() {
    Screen::catch_interrupts();
    screen_.banner();
    screen_.text(instance_line(instance_));
    if (write_instance_.wanted()) write_instance_.write(instance_text(instance_));
    if (write_lp_.wanted()) write_lp_.write(lp_text(Formulation(planned())));
    watch_.note = [this](const std::string& text) {
      const std::lock_guard hold(lock_);
      screen_.text(text + "\n");
    };
    watch_.interrupted = [this] { return screen_.interrupted(); };
    if (a_.overload) {
      choice_ = choose_margin(instance_, *demand_, *a_.overload, a_.options, watch_, objective_of(a_));
      planned_.reset();
      return tell(choice_->result);
    }
    return tell(slice_for(planned(), objective_of(a_), a_.options, watch_, demand_ ? &*demand_ : nullptr));
  }

 private:
  double margin() const { return choice_ ? choice_->margin : a_.margin.value_or(0.1); }
  const SliceInstance& planned() {
    if (!planned_) planned_ = to_plan(instance_);
    return *planned_;
  }

  SliceInstance to_plan(const SliceInstance& instance) const {
    return demand_ ? planning_instance(instance, *demand_, margin()) : instance;
  }

  // What would help where no plan keeps the capacities.
  std::optional<Shortage> shortage(const SliceResult& result) {
    if (result.feasible() || screen_.interrupted()) return {};
    Shortage out = shortage_of(planned(), a_.options, watch_);
    if (out.factor) *out.factor *= a_.capacity_factor;  // as the command line says it
    out.least_factor *= a_.capacity_factor;
    out.tried *= a_.capacity_factor;
    if (const auto more = load_with_modules(a_); more && more->links != instance_.links)
      out.modules_do = can_be_placed(to_plan(*more), a_.options, watch_);
    return out;
  }

  int tell(SliceResult result) {
    if (demand_) result.scale_uses(1 - margin());
    std::optional<Overload> overload;
    const std::optional<Shortage> lack = shortage(result);
    if (choice_)
      overload = choice_->overload;
    else if (demand_ && result.feasible())
      overload = measure_overload(instance_, result.plan, *demand_, a_.options.seed);
    const SliceSetting setting{instance_,
                               result,
                               load_seconds_,
                               demand_ ? &*demand_ : nullptr,
                               demand_ ? margin() : 0,
                               overload ? &*overload : nullptr,
                               lack ? &*lack : nullptr,
                               choice_ ? &*choice_ : nullptr};
    const Json json = slice_json(setting);
    if (json_.wanted()) json_.write(to_text(json));
    if (report_.wanted()) report_.write(slice_html(json));
    if (result.status == SliceStatus::infeasible) {
      fmt::print(stderr, "bridle: infeasible: no placement keeps all {}; in conflict: {}{}\n",
                 instance_.has_delay_bounds() ? "capacities and delays" : "capacities",
                 conflict_text(result.bound), lack ? shortage_text(instance_, *lack) : "");
      return slice_exit_code(result.status);
    }
    screen_.text("\n" + slice_text(setting));
    if (screen_.interrupted()) return exit_interrupted;
    return choice_ && result.feasible() && !choice_->kept ? exit_not_certified
                                                          : slice_exit_code(result.status);
  }

  const SliceArguments& a_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  SliceInstance instance_;
  std::optional<UncertainDemand> demand_;
  std::optional<SliceInstance> planned_;
  std::optional<MarginChoice> choice_;  // by --overload
  double load_seconds_ = 0;
  std::mutex lock_;
  SliceWatch watch_;
  Destination json_{a_.json}, report_{only_a_file("--report", a_.report)},
      write_instance_{only_a_file("--write-instance", a_.write_instance)},
      write_lp_{only_a_file("--write-lp", a_.write_lp)};
  Screen screen_{{.stream = screen_stream(a_.quiet, a_.json),
                  .stopping = "the best plan so far is judged, where there is one"}};
};

}  // namespace

Action add_slice(CLI::App& app) {
  auto a = std::make_shared<SliceArguments>();
  auto* command = app.add_subcommand("slice", "Place service chains on a network and route their traffic");
  add_slice_options(*command, *a);
  return [a] { return SliceCommand(*a).run(); };
}

}  // namespace bridle::cli
