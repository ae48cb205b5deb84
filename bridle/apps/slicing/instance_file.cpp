#include "bridle/apps/slicing/instance_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "bridle/apps/statement/toml_file.hpp"
#include "bridle/apps/statement/toml_section.hpp"
#include "bridle/io/text.hpp"

namespace bridle {
namespace {

std::size_t position(const std::string& name, const Names& names, const char* what, const std::string& file,
                     long line) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw InputError(file, line,
                   fmt::format("unknown {} {}{}", what, io::in_quotes(name), did_you_mean(name, names)));
}

class InstanceReader {
 public:
  explicit InstanceReader(const std::string& path) : path_(path), root_(parse_toml(path)) {}

  SliceInstance read() {
    for (const auto& [key, node] : root_)
      if (const std::string name(key.str());
          name != "instance" && name != "node" && name != "link" && name != "flow")
        throw InputError(
            path_, static_cast<long>(node.source().begin.line),
            "unknown section '" + name + "'" + did_you_mean(name, {"instance", "node", "link", "flow"}));
    TomlSection top(path_, "instance", root_["instance"].as_table());
    out_.name = top.text("name").value_or(std::filesystem::path(path_).stem().string());
    if (auto functions = top.texts("functions")) {
      out_.functions = std::move(*functions);
      all_functions_stated_ = true;
    }
    top.refuse_unknown_keys();
    for_each("node", [&](TomlSection& section) { node(section); });
    for_each("link", [&](TomlSection& section) { link(section); });
    if (some_have_delays_ && line_without_delay_ > 0)
      throw InputError(path_, line_without_delay_,
                       "the [[link]] has no 'delay'; either all links have one or none");
    for_each("flow", [&](TomlSection& section) { flow(section); });
    if (out_.nodes.empty()) throw InputError(path_, 0, "has no [[node]]");
    if (out_.links.empty()) throw InputError(path_, 0, "has no [[link]]");
    if (out_.flows.empty()) throw InputError(path_, 0, "has no [[flow]]: the list of flows is empty");
    for (std::size_t k = 0; k < out_.flows.size(); ++k) try {
        check_flow(out_, out_.flows[k]);
      } catch (const InputError& error) {
        throw InputError(path_, flow_lines_[k], error.what());
      }
    return std::move(out_);
  }

 private:
  template <class Visit>
  void for_each(const char* key, Visit&& visit) {
    const toml::node* found = root_.get(key);
    if (!found) return;
    const toml::array* list = found->as_array();
    if (!list || !list->is_homogeneous(toml::node_type::table))
      throw InputError(path_, static_cast<long>(found->source().begin.line),
                       fmt::format("'{}' must be a list of tables: [[{}]]", key, key));
    for (const auto& one : *list) {
      TomlSection section(path_, std::string("[") + key + "]", one.as_table());
      visit(section);
      section.refuse_unknown_keys();
    }
  }

  std::optional<double> capacity(TomlSection& section) const {
    const auto value = section.number("capacity");
    if (value && !(*value >= 0 && *value <= largest_amount))
      throw section.error(*section.find("capacity"), "capacity",
                          fmt::format("is {}; it must be a number from 0 to {:g}", *value, largest_amount));
    return value;
  }

  void node(TomlSection& section) {
    SliceNode node;
    node.name = section.required_text("name");
    if (std::find(node_names_.begin(), node_names_.end(), node.name) != node_names_.end())
      throw InputError(path_, section.line(), "two nodes are called " + io::in_quotes(node.name));
    node.capacity = capacity(section).value_or(0);
    node.x = section.number("x").value_or(0);
    node.y = section.number("y").value_or(0);
    for (const std::string& name : section.texts("functions").value_or(Names{})) {
      const auto found = std::find(out_.functions.begin(), out_.functions.end(), name);
      if (found == out_.functions.end() && all_functions_stated_)
        throw section.error(*section.find("functions"), "functions",
                            "has the unknown " + io::in_quotes(name) + did_you_mean(name, out_.functions));
      node.functions.push_back(static_cast<std::size_t>(found - out_.functions.begin()));
      if (found == out_.functions.end()) out_.functions.push_back(name);
    }
    node_names_.push_back(node.name);
    out_.nodes.push_back(std::move(node));
  }

  std::size_t node_called(TomlSection& section, const char* key) {
    const std::string name = section.required_text(key);
    return position(name, node_names_, "node", path_,
                    static_cast<long>(section.find(key)->source().begin.line));
  }

  void link(TomlSection& section) {
    SliceLink link{node_called(section, "from"), node_called(section, "to")};
    const auto stated = capacity(section);
    if (!stated) throw InputError(path_, section.line(), "[[link]] needs the key 'capacity'");
    link.capacity = *stated;
    if (const auto delay = section.number("delay")) {
      if (!(*delay >= 0 && *delay <= largest_amount))
        throw section.error(*section.find("delay"), "delay",
                            fmt::format("is {}; it must be a number from 0 to {:g}", *delay, largest_amount));
      link.delay = *delay;
      some_have_delays_ = true;
    } else if (line_without_delay_ == 0) {
      line_without_delay_ = section.line();
    }
    if (link.from == link.to)
      throw InputError(path_, section.line(),
                       "the link joins " + io::in_quotes(node_names_[link.from]) + " to itself");
    out_.links.push_back(link);
    if (section.flag("both_ways").value_or(false)) {
      std::swap(link.from, link.to);
      out_.links.push_back(link);
    }
  }

  void flow(TomlSection& section) {
    SliceFlow flow;
    flow.name = section.text("name").value_or(fmt::format("flow{}", out_.flows.size() + 1));
    flow.source = node_called(section, "from");
    flow.target = node_called(section, "to");
    const auto rate = section.number("rate");
    if (!rate) throw InputError(path_, section.line(), "[[flow]] needs the key 'rate'");
    flow.rate = *rate;
    flow.max_delay = section.number("max_delay").value_or(infinity);
    for (const std::string& name : section.texts("chain").value_or(Names{})) {
      if (std::find(out_.functions.begin(), out_.functions.end(), name) == out_.functions.end())
        throw InputError(path_, section.line(),
                         fmt::format("flow '{}': no node offers the function {} of its chain{}", flow.name,
                                     io::in_quotes(name), did_you_mean(name, out_.functions)));
      flow.chain.push_back(position(name, out_.functions, "function", path_, section.line()));
    }
    flow_lines_.push_back(section.line());
    out_.flows.push_back(std::move(flow));
  }

  std::string path_;
  toml::table root_;
  SliceInstance out_;
  Names node_names_;
  bool all_functions_stated_ = false, some_have_delays_ = false;
  long line_without_delay_ = 0;  // the first
  std::vector<long> flow_lines_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += std::iscntrl(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
  }
  return out + "\"";
}

std::string list_of(const std::vector<std::size_t>& positions, const Names& names) {
  Names out;
  for (const std::size_t i : positions) out.push_back(quoted(names[i]));
  return fmt::format("[{}]", fmt::join(out, ", "));
}

}  // namespace

SliceInstance read_instance(const std::string& path) { return InstanceReader(path).read(); }

std::string instance_text(const SliceInstance& instance) {
  std::vector<std::size_t> all(instance.functions.size());
  std::iota(all.begin(), all.end(), 0);
  std::string out = fmt::format("[instance]\nname = {}\nfunctions = {}\n", quoted(instance.name),
                                list_of(all, instance.functions));
  for (const auto& node : instance.nodes) {
    out += fmt::format("\n[[node]]\nname = {}\nx = {}\ny = {}\n", quoted(node.name), node.x, node.y);
    if (!node.functions.empty())
      out += fmt::format("capacity = {}\nfunctions = {}\n", node.capacity,
                         list_of(node.functions, instance.functions));
  }
  for (const auto& link : instance.links)
    out += fmt::format("\n[[link]]\nfrom = {}\nto = {}\ncapacity = {}\ndelay = {}\n",
                       quoted(instance.nodes[link.from].name), quoted(instance.nodes[link.to].name),
                       link.capacity, link.delay);
  for (const auto& flow : instance.flows) {
    out +=
        fmt::format("\n[[flow]]\nname = {}\nfrom = {}\nto = {}\nrate = {}\nchain = {}\n", quoted(flow.name),
                    quoted(instance.nodes[flow.source].name), quoted(instance.nodes[flow.target].name),
                    flow.rate, list_of(flow.chain, instance.functions));
    if (flow.in_a_hurry()) out += fmt::format("max_delay = {}\n", flow.max_delay);
  }
  return out;
}

}  // namespace bridle
