#include <fmt/format.h>

#include "bridle/algorithms/registry.hpp"
#include "bridle/core/threads.hpp"
#include "bridle/core/types.hpp"
#include "bridle/problem/losses/losses.hpp"
#include "bridle/report/version.hpp"

#include "command.hpp"

namespace bridle::cli {

Action add_info(CLI::App& app) {
  app.add_subcommand("info", "Version, build, and what is built in");
  return [] {
    fmt::print("Bridle {}\n", version);
    fmt::print("  compiler     {}\n", __VERSION__);
    fmt::print("  Eigen        {}.{}.{}\n", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
    fmt::print("  processors   {}\n", processors());
    fmt::print("  threads      {}\n", threads_in_use());
    fmt::print("algorithms\n");
    for (const auto& entry : all_algorithms()) fmt::print("  {:<20} {}\n", entry.name, entry.meaning);
    fmt::print("losses\n");
    for (const auto& entry : all_losses())
      fmt::print("  {:<20} {}{}\n", entry.name, entry.meaning,
                 entry.classification ? " (m = label * output)" : "");
    return 0;
  };
}

}  // namespace bridle::cli
