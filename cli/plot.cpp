#include "bridle/report/plot/plot.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "bridle/report/destination.hpp"

#include "command.hpp"

namespace bridle::cli {
namespace {

struct PlotArguments {
  std::vector<std::string> logs;
  std::string output = "plot.svg";
};

int run(const PlotArguments& a) {
  const std::string suffix = std::filesystem::path(only_a_file("--output", a.output)).extension().string();
  if (suffix != ".svg" && suffix != ".html")
    throw InputError("--output '" + a.output + "': a plot is an .svg or an .html file");
  std::vector<RunLog> logs;
  for (const auto& path : a.logs) logs.push_back(read_run_log(path));
  Destination(a.output).write(suffix == ".svg" ? plot_svg(logs) : plot_html(logs));
  fmt::print("{}: {} of {}\n", a.output, logs.size() == 1 ? "the progress" : "the progress of runs",
             logs.size() == 1 ? logs.front().title : fmt::format("{} logs", logs.size()));
  return exit_certified;
}

}  // namespace

Action add_plot(CLI::App& app) {
  auto a = std::make_shared<PlotArguments>();
  auto* command = app.add_subcommand("plot", "Draw logs of runs: objective, feasibility, stationarity");
  command->add_option("LOG", a->logs, "Files that --log has written")->type_name("FILE...")->required();
  command->add_option("--output", a->output, "The picture, .svg or .html")
      ->type_name("FILE")
      ->capture_default_str();
  return [a] { return run(*a); };
}

}  // namespace bridle::cli
