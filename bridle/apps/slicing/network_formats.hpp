// The readers behind read_topology: they fill a network whose `file` and `name` are set.
#pragma once

#include "bridle/apps/slicing/network.hpp"

namespace bridle {

void read_native_network(const std::string& text, Network& network);
void read_xml_network(const std::string& text,
                      Network& network);  // SNDlib XML or GraphML, by the root element

}  // namespace bridle
