#include "bridle/apps/consensus/network_file.hpp"

#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "bridle/apps/consensus/shards.hpp"
#include "bridle/apps/statement/objective_section.hpp"
#include "bridle/apps/statement/problem_file.hpp"
#include "bridle/apps/statement/toml_file.hpp"
#include "bridle/io/line_reader.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::string_view field = line.substr(begin, end - begin);
    while (!field.empty() && io::is_blank(field.front())) field.remove_prefix(1);
    while (!field.empty() && io::is_blank(field.back())) field.remove_suffix(1);
    out.push_back(field);
    begin = end + 1;
  }
  return out;
}

// A number of the section that must lie in (0, most].
std::optional<double> number_up_to(TomlSection& section, const char* key, double most, const char* rule) {
  const auto value = section.number(key);
  if (value && !(*value > 0 && *value <= most)) throw section.error(*section.find(key), key, rule);
  return value;
}

Graph read_graph(TomlSection& section, const std::string& folder, std::uint64_t seed) {
  const auto kind = section.text("graph"), file = section.text("file");
  const auto nodes = number_up_to(section, "nodes", 1e6, "must be a whole number from 1 to 1000000");
  if (nodes && *nodes != std::floor(*nodes))
    throw section.error(*section.find("nodes"), "nodes", "must be a whole number from 1 to 1000000");
  const auto probability = number_up_to(section, "probability", 1, "must be in (0, 1]");
  const auto density = number_up_to(section, "density", 1, "must be in (0, 1]");
  const auto radius = number_up_to(section, "radius", 2, "must be in (0, 2]");
  if (kind.has_value() == file.has_value())
    throw InputError(section.file(), section.line(),
                     "[network] needs either the key 'graph' or the key 'file'");
  if (density && kind != "erdos-renyi")
    throw section.error(*section.find("density"), "density", "belongs to the graph erdos-renyi");
  if (radius && kind != "geometric")
    throw section.error(*section.find("radius"), "radius", "belongs to the graph geometric");

  if (file) {
    const auto known = nodes ? std::optional(static_cast<Index>(*nodes)) : std::nullopt;
    Graph graph{known.value_or(0), read_edges(resolve(folder, *file), probability.value_or(1), known)};
    if (!known)
      for (const Edge& edge : graph.edges) graph.nodes = std::max({graph.nodes, edge.from + 1, edge.to + 1});
    return graph;
  }
  const GraphKind* found = find_graph(*kind);
  if (!found) {
    Names known;
    for (const auto& entry : all_graphs()) known.emplace_back(entry.name);
    throw section.error(*section.find("graph"), "graph",
                        "'" + *kind + "' is unknown" + did_you_mean(*kind, known));
  }
  if (!nodes) throw InputError(section.file(), section.line(), "[network] needs the key 'nodes'");
  try {
    return found->make(
        {static_cast<Index>(*nodes), probability.value_or(1), density.value_or(1), radius.value_or(0), seed});
  } catch (const InputError& error) {
    throw section.error(*section.find("nodes"), "nodes", error.what());
  }
}

Shards read_shards(TomlSection& section) {
  const std::string text = section.text("shards").value_or("equal");
  if (text == "equal") return Shards::equal;
  if (text == "by-label") return Shards::by_label;
  if (text == "by-file") return Shards::by_file;
  throw section.error(*section.find("shards"), "shards",
                      "'" + text + "' is unknown" + did_you_mean(text, {"equal", "by-label", "by-file"}));
}

}  // namespace

std::vector<Edge> read_edges(const std::string& path, double probability, std::optional<Index> nodes) {
  io::LineReader reader(path);
  std::vector<Edge> edges;
  std::map<std::pair<Index, Index>, long> lines;  // of the pairs of nodes seen
  std::string_view line;
  while (reader.next(line)) {
    const auto fields = fields_of(line);
    if (fields.size() == 1 && fields[0].empty()) continue;
    double from = 0, to = 0, p = probability;
    const bool header = reader.line() == 1 && !io::parse_number(fields[0], from);
    if (header) continue;
    if (fields.size() != 2 && fields.size() != 3)
      throw InputError(path, reader.line(),
                       fmt::format("{} fields; an edge is from,to or from,to,probability", fields.size()));
    for (const auto& [field, value] : {std::pair{fields[0], &from}, std::pair{fields[1], &to}})
      if (!io::parse_number(field, *value) || !(*value >= 0 && *value < 1e6) || *value != std::floor(*value))
        throw InputError(path, reader.line(),
                         io::in_quotes(field) + " is no node: nodes are counted 0, 1, 2, ...");
    if (fields.size() == 3 && (!io::parse_number(fields[2], p) || !(p > 0 && p <= 1)))
      throw InputError(path, reader.line(), io::in_quotes(fields[2]) + " is no probability in (0, 1]");
    if (from == to) throw InputError(path, reader.line(), fmt::format("node {} has an edge to itself", from));
    const Edge edge{static_cast<Index>(from), static_cast<Index>(to), p};
    if (nodes && std::max(edge.from, edge.to) >= *nodes)
      throw InputError(path, reader.line(),
                       fmt::format("edge ({}, {}) does not join two of the nodes 0, ..., {}: [network] has "
                                   "nodes = {}",
                                   edge.from, edge.to, *nodes - 1, *nodes));
    const auto [seen, is_new] = lines.try_emplace(std::minmax(edge.from, edge.to), reader.line());
    if (!is_new)
      throw InputError(
          path, reader.line(),
          fmt::format("edge ({}, {}) is there twice, first in line {}", edge.from, edge.to, seen->second));
    edges.push_back(edge);
  }
  if (edges.empty()) throw InputError(path, 0, "has no edges");
  return edges;
}

namespace {

std::string describe(const Graph& graph, Shards shards) {
  std::string out = fmt::format("{} nodes, {} edges", graph.nodes, graph.edges.size());
  const auto [least, most] =
      std::minmax_element(graph.edges.begin(), graph.edges.end(),
                          [](const Edge& a, const Edge& b) { return a.probability < b.probability; });
  if (!graph.edges.empty())
    out += least->probability == most->probability
               ? fmt::format(", each up with probability {}", most->probability)
               : fmt::format(", up with probabilities {} to {}", least->probability, most->probability);
  return out + (shards == Shards::by_label  ? "; shards by label"
                : shards == Shards::by_file ? "; a data file per node"
                                            : "; equal shards");
}

// Where a problem file states its rows: its constraints, or else the program that is its objective.
long line_of_rows(const toml::table& root) {
  const toml::node* const node = root.get(root.contains("constraints") ? "constraints" : "objective");
  return node ? static_cast<long>(node->source().begin.line) : 0;
}

}  // namespace

StatedNetwork read_network(const std::string& path, std::uint64_t seed, const Ranks& ranks) {
  const toml::table root = parse_toml(path);
  const toml::node* node = root.get("network");
  if (!node || !node->is_table()) throw InputError(path, 0, "the section [network] is missing");
  TomlSection section(path, "network", node->as_table());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Graph graph = read_graph(section, folder, seed);
  const Shards shards = read_shards(section);
  section.refuse_unknown_keys();
  const std::string network = describe(graph, shards);

  const auto at_line = [&](long line, const auto& work) {
    try {
      return work();
    } catch (const InputError& error) {
      throw InputError(path, line, error.what());
    }
  };
  const auto in_section = [&](const auto& work) { return at_line(section.line(), work); };
  const Territory territory = in_section([&] {
    graph.check();
    return Territory(graph, ranks.rank(), ranks.ranks());
  });
  const bool files = shards == Shards::by_file;
  const FileShare share{ranks, territory.nodes(), territory.first(), territory.hosted()};
  const StatedProblem stated = read_problem(path, files ? &share : nullptr);
  at_line(line_of_rows(root), [&] { refuse_rows(stated.problem); });
  NetworkProblem problem = in_section([&] {
    return files ? deal_out_files(stated.problem, std::move(graph), stated.file_rows, stated.samples)
                 : deal_out(stated.problem, std::move(graph), shards, territory, seed);
  });
  return {std::move(problem), territory, stated.description, network, stated.notes};
}

}  // namespace bridle
