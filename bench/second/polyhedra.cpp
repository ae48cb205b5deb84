// bench_polyhedra [COUNT]
// The second-order phase on COUNT random polyhedra (200) with every nonconvex loss, by both paths: that f
// never rises, that no iterate is off its constraints, that no end lies above its start, and how sharp the
// ends are.
#include "tests/support/polyhedra.hpp"

#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include <fmt/format.h>

namespace {

using namespace bridle;

// Violations that are rounding: of f, and of rows.
constexpr double rounding_of_value = 1e-14, rounding_of_rows = 1e-12;

bool go_through(second::Path path, const char* name, std::uint64_t polyhedra) {
  Index runs = 0, rose = 0, off = 0, above = 0, sharp = 0, sharpest = 0;
  double largest_rise = 0, largest_violation = 0;
  std::map<std::string, Index> ends;
  for (std::uint64_t k = 0; k < polyhedra; ++k)
    for (const Loss& loss : test::nonconvex_losses()) {
      const Problem problem = test::RandomPolyhedron(k).with(loss);
      const auto record = test::watch_phase(problem, Vector::Zero(problem.dimension()), path);
      runs += 1;
      rose += record.rise > rounding_of_value;
      off += record.infeasible > rounding_of_rows;
      above += record.above_start > rounding_of_value;
      sharp += record.error <= 1e-6;
      sharpest += record.error <= 1e-8;
      largest_rise = std::max(largest_rise, record.rise);
      largest_violation = std::max(largest_violation, record.infeasible);
      ends[second::meaning(record.end)] += 1;
      if (record.rise > rounding_of_value || record.infeasible > rounding_of_rows || record.error > 1e-4)
        fmt::print("  polyhedron {}, {}: rise {:.0e}, violation {:.0e}, error {:.0e}, {}\n", k,
                   loss_name(loss), record.rise, record.infeasible, record.error,
                   second::meaning(record.end));
    }
  fmt::print(
      "{}: {} runs; f rose in {} (at most by {:.1e} of itself), off the constraints in {} (at most {:.1e}), "
      "ended "
      "above the start in {}; error below 1e-6 in {}, below 1e-8 in {}\n",
      name, runs, rose, largest_rise, off, largest_violation, above, sharp, sharpest);
  for (const auto& [end, count] : ends) fmt::print("    {:5} {}\n", count, end);
  return rose == 0 && off == 0 && above == 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::uint64_t polyhedra = count > 1 ? std::stoull(arguments[1]) : 200;
    const bool dense = go_through(second::Path::dense, "dense Hessians", polyhedra);
    const bool products = go_through(second::Path::products, "products", polyhedra);
    return dense && products ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_polyhedra: {}\n", error.what());
    return 2;
  }
}
