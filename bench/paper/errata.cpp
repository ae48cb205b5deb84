// The table of docs/errata.md: every slip with the numbers that show it.
#include "bench/paper/bench.hpp"
#include "tests/support/paper_slips.hpp"

namespace bridle::paper {
namespace {

const char* sign_of(Demand demand) {
  switch (demand) {
    case Demand::equal:
      return "=";
    case Demand::at_least:
      return ">=";
    case Demand::at_most:
      return "<=";
  }
  return "";
}

std::string escaped(std::string text) {  // a bar would end the cell
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

void measure_errata(const Bench& bench) {
  TextFile table(bench.tables / "errata.md");
  table.line(
      "| | where (label in the source) | printed | right | check | demanded | printed gives | right gives | "
      "consequence |");
  table.line("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  int number = 0, shown = 0;
  for (const Slip& slip : paper_slips()) {
    shown += slip.shown();
    table.line("| {} | {} | {} | {} | {} | {} {:.3g} | {:.3g} | {:.3g} | {} |", ++number, escaped(slip.place),
               escaped(slip.as_printed), escaped(slip.right), escaped(slip.check), sign_of(slip.demand),
               slip.demanded, slip.printed, slip.corrected, escaped(slip.consequence));
  }
  table.line("\nIn {} of {} rows the printed form misses what is demanded and the right one meets it.", shown,
             number);
  table.line(
      "\nThe branch of slip 13 is, even with 8 for 4, at least {:.0f} times the branch tau/(200 |A|^2) of "
      "the "
      "same minimum, for every L_f from 1e-3 to 1e3 with mu = max(2, 4 L_f): it never acts.",
      unused_branch_ratio());
  table.line(
      "\nOne spelling is no slip after all: the smoothed 0-1 loss has y f(x)^3 for (y f(x))^3; over labels "
      "-1 and 1 "
      "the largest difference is {:.1g}.",
      cube_difference());
}

}  // namespace bridle::paper
