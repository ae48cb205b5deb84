// SNDlib's XML format and GraphML.
#include <cmath>
#include <map>

#include <tinyxml2.h>

#include "bridle/apps/slicing/network_formats.hpp"
#include "bridle/core/error.hpp"
#include "bridle/io/number.hpp"
#include "bridle/io/text.hpp"

namespace bridle {
namespace {

using tinyxml2::XMLElement;

class XmlReader {
 public:
  explicit XmlReader(Network& network) : network_(network) {}

  void sndlib(const XMLElement& root) {
    const XMLElement& structure = *needed(root, "networkStructure");
    each(*needed(structure, "nodes"), "node", [&](const XMLElement& node) {
      Network::Node out{attribute(node, "id")};
      if (const XMLElement* at = node.FirstChildElement("coordinates")) {
        out.x = number(*needed(*at, "x"), "x");
        out.y = number(*needed(*at, "y"), "y");
      }
      network_.nodes.push_back(out);
    });
    each(*needed(structure, "links"), "link", [&](const XMLElement& link) {
      Network::Link out{end(link, "source"), end(link, "target")};
      out.line = link.GetLineNum();
      if (const XMLElement* installed = link.FirstChildElement("preInstalledModule"))
        if (const double capacity = capacity_of(*installed); capacity > 0) out.installed = capacity;
      if (const XMLElement* modules = link.FirstChildElement("additionalModules"))
        each(*modules, "addModule", [&](const XMLElement& one) { out.modules.push_back(capacity_of(one)); });
      network_.links.push_back(out);
    });
    if (const XMLElement* demands = root.FirstChildElement("demands"))
      each(*demands, "demand", [&](const XMLElement& demand) {
        network_.demands.push_back({end(demand, "source"), end(demand, "target"),
                                    at_least_zero(*needed(demand, "demandValue"), "the demand")});
      });
  }

  void graphml(const XMLElement& root) {
    std::map<std::string, std::string> keys;  // id -> what it means
    each(root, "key", [&](const XMLElement& key) {
      if (const char* name = key.Attribute("attr.name")) keys[attribute(key, "id")] = name;
    });
    const XMLElement& graph = *needed(root, "graph");
    network_.directed = graph.Attribute("edgedefault", "directed") != nullptr;
    std::map<std::string, std::string> label_of;  // GraphML joins nodes by id, people know them by label
    each(graph, "node", [&](const XMLElement& node) {
      Network::Node out{attribute(node, "id")};
      const std::string id = out.name;
      if (label_of.contains(id))
        fail(node.GetLineNum(), "two nodes have the id " + io::in_quotes(id) + "; an id must be there once");
      each(node, "data", [&](const XMLElement& data) {
        const std::string& key = keys[attribute(data, "key")];
        if (key == "label" && data.GetText()) out.name = data.GetText();
        if (key == "Longitude" || key == "x") out.x = number(data, "x");
        if (key == "Latitude" || key == "y") out.y = number(data, "y");
      });
      for (const auto& other : network_.nodes)
        if (other.name == out.name) out.name = id;  // labels may repeat; ids do not
      label_of[id] = out.name;
      network_.nodes.push_back(out);
    });
    each(graph, "edge", [&](const XMLElement& edge) {
      const auto node = [&](const char* which) {
        const std::string id = attribute(edge, which);
        const auto found = label_of.find(id);
        return network_.node_called(found == label_of.end() ? id : found->second, network_.file,
                                    edge.GetLineNum());
      };
      Network::Link out{node("source"), node("target")};
      out.line = edge.GetLineNum();
      each(edge, "data", [&](const XMLElement& data) {
        const std::string& key = keys[attribute(data, "key")];
        if (key == "capacity" || key == "LinkSpeedRaw") out.installed = at_least_zero(data, "the capacity");
        if (key == "delay") out.delay = at_least_zero(data, "the delay");
      });
      network_.links.push_back(out);
    });
  }

  [[noreturn]] void fail(long line, const std::string& what) const {
    throw InputError(network_.file, line, what);
  }

 private:
  const XMLElement* needed(const XMLElement& parent, const char* child) const {
    if (const XMLElement* found = parent.FirstChildElement(child)) return found;
    fail(parent.GetLineNum(), std::string("<") + parent.Name() + "> has no <" + child + ">");
  }
  template <class Visit>
  static void each(const XMLElement& parent, const char* child, Visit&& visit) {
    for (const XMLElement* one = parent.FirstChildElement(child); one; one = one->NextSiblingElement(child))
      visit(*one);
  }
  std::string attribute(const XMLElement& element, const char* name) const {
    if (const char* value = element.Attribute(name)) return value;
    fail(element.GetLineNum(), std::string("<") + element.Name() + "> has no attribute '" + name + "'");
  }
  double number(const XMLElement& element, const char* what) const {
    std::string text = element.GetText() ? element.GetText() : "";
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    text.erase(0, text.find_first_not_of(" \t\n"));
    double value = 0;
    if (!io::parse_number(text, value) || !std::isfinite(value))
      fail(element.GetLineNum(), std::string(what) + " " + io::in_quotes(text) + " is no number");
    return value;
  }
  double at_least_zero(const XMLElement& element, const char* what) const {
    const double value = number(element, what);
    if (value < 0)
      fail(element.GetLineNum(),
           std::string(what) + " " + io::in_quotes(element.GetText()) + " is negative; it must be >= 0");
    return value;
  }
  double capacity_of(const XMLElement& module) const {
    return at_least_zero(*needed(module, "capacity"), "the capacity");
  }
  std::size_t end(const XMLElement& element, const char* which) const {
    const XMLElement& child = *needed(element, which);
    return network_.node_called(child.GetText() ? child.GetText() : "", network_.file, child.GetLineNum());
  }

  Network& network_;
};

}  // namespace

void read_xml_network(const std::string& text, Network& network) {
  tinyxml2::XMLDocument document;
  const XmlReader reader(network);
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    reader.fail(document.ErrorLineNum(), std::string("is no well-formed XML: ") +
                                             tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID()));
  const XMLElement* root = document.RootElement();
  const std::string kind = root ? root->Name() : "";
  if (kind == "network")
    XmlReader(network).sndlib(*root);
  else if (kind == "graphml")
    XmlReader(network).graphml(*root);
  else
    reader.fail(root ? root->GetLineNum() : 0, "the root element is " + io::in_quotes(kind) +
                                                   "; it must be 'network' (SNDlib) or 'graphml'");
}

}  // namespace bridle
