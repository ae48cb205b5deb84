// A topology as public collections publish it: SNDlib's two formats and GraphML. What slicing needs besides
// (hosts, functions, chains) is not in these files; generate.hpp makes it up by stated rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bridle {

struct Network {
  struct Node {
    std::string name;
    double x = 0, y = 0;
  };
  struct Link {
    std::size_t from = 0, to = 0;
    std::optional<double> installed = {};  // capacity that is there already
    std::vector<double> modules = {};      // capacities that could be added
    std::optional<double> delay = {};
    long line = 0;
  };
  struct Demand {
    std::size_t source = 0, target = 0;
    double value = 0;
  };
  std::string name, file;
  bool directed = false;  // SNDlib: a link carries traffic both ways
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Demand> demands;

  // Throws InputError with the nearest name.
  std::size_t node_called(const std::string& node, const std::string& in_file, long line) const;
};

// SNDlib native or XML, or GraphML: the content decides.
Network read_topology(const std::string& path);

}  // namespace bridle
