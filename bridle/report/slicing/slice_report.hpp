// What a planner gets to see: text, JSON, and a page that draws the network.
#pragma once

#include "bridle/apps/slicing/margin.hpp"
#include "bridle/apps/slicing/shortage.hpp"
#include "bridle/apps/slicing/slice.hpp"
#include "bridle/apps/slicing/uncertain.hpp"
#include "bridle/report/json.hpp"

namespace bridle {

struct SliceSetting {
  const SliceInstance& instance;  // as stated: with the full capacities
  const SliceResult& result;
  double load_seconds = 0;
  // With uncertain demands:
  const UncertainDemand* demand = nullptr;
  double margin = 0;
  const Overload* overload = nullptr;
  const Shortage* shortage = nullptr;    // where no plan keeps the capacities
  const MarginChoice* choice = nullptr;  // where the margin was chosen
};

std::string instance_line(const SliceInstance& instance);  // sizes, in one line
std::string slice_text(const SliceSetting& setting);
std::string conflict_text(const ChainBound& bound);  // which capacities leave no room, in one line
// Which flows do not fit and what would help, the end of a line: "; 2 of 9 flows ...".
std::string shortage_text(const SliceInstance& instance, const Shortage& shortage);
Json slice_json(const SliceSetting& setting);
std::string slice_html(const Json& figures);  // `figures` is what slice_json made

}  // namespace bridle
