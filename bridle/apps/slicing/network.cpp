#include "bridle/apps/slicing/network.hpp"

#include <algorithm>
#include <filesystem>

#include "bridle/apps/slicing/network_formats.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/line_reader.hpp"
#include "bridle/io/text.hpp"

namespace bridle {

std::size_t Network::node_called(const std::string& node, const std::string& in_file, long line) const {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].name == node) return i;
  Names known;
  for (const auto& one : nodes) known.push_back(one.name);
  throw InputError(in_file, line, "unknown node " + io::in_quotes(node) + did_you_mean(node, known));
}

Network read_topology(const std::string& path) {
  const std::string text = io::read_text(path);
  const auto first = text.find_first_not_of(" \t\n");
  Network network;
  network.file = path;
  network.name = std::filesystem::path(path).stem().string();
  if (first != std::string::npos && text[first] == '<')
    read_xml_network(text, network);
  else
    read_native_network(text, network);
  if (network.nodes.empty()) throw InputError(path, 0, "has no nodes");
  if (network.links.empty()) throw InputError(path, 0, "has no links");
  for (std::size_t i = 0; i < network.nodes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (network.nodes[i].name == network.nodes[j].name)
        throw InputError(path, 0, "two nodes are called " + io::in_quotes(network.nodes[i].name));
  // A node with a link to itself carries nothing anywhere, and a demand within a node needs no network.
  std::erase_if(network.links, [](const auto& link) { return link.from == link.to; });
  std::erase_if(network.demands,
                [](const auto& demand) { return demand.source == demand.target || !(demand.value > 0); });
  return network;
}

}  // namespace bridle
