#include "bridle/apps/slicing/lists.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bridle/apps/slicing/fields.hpp"
#include "bridle/core/error.hpp"
#include "bridle/core/nearest.hpp"

namespace bridle {
namespace {

struct Column {
  const char* name;
  bool needed = true;
};

// The records of a file whose columns have names; without a header they are the needed ones, in order. A
// header is a first record that begins with a column's name.
class List {
 public:
  List(const std::string& path, const char* entry, std::vector<Column> columns)
      : path_(path), records_(path), entry_(entry), columns_(std::move(columns)) {
    for (std::size_t c = 0; c < columns_.size(); ++c) place_.push_back(columns_[c].needed ? count_++ : none);
  }

  bool next() {
    if (!records_.next()) return false;
    const bool first = std::exchange(first_, false);
    if (first && position(fields()[0]) < columns_.size()) {
      header();
      return next();
    }
    if (fields().size() != count_)
      fail(fmt::format("{} fields; a {} is {}", fields().size(), entry_, form()));
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(path_, records_.line(), what); }
  bool has(std::size_t column) const { return place_[column] != none; }
  const std::string& text(std::size_t column) const { return fields()[place_[column]]; }
  double number(std::size_t column) const {
    double value = 0;
    if (!records_.parse_number(text(column), value))
      fail(fmt::format("the {} {} is no number", columns_[column].name, io::in_quotes(text(column))));
    return value;
  }
  Names words(std::size_t column) const {
    const std::string& all = text(column);
    Names out;
    for (std::size_t begin = 0; begin < all.size();) {
      const std::size_t end = std::min(all.find(' ', begin), all.size());
      out.push_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
    return out;
  }
  std::size_t known(const std::string& name, const Names& names, const char* what,
                    const std::string& hint = "") const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    fail(fmt::format("unknown {} {}{}", what, io::in_quotes(name),
                     hint.empty() ? did_you_mean(name, names) : hint));
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t position(const std::string& name) const {
    std::size_t c = 0;
    while (c < columns_.size() && columns_[c].name != name) ++c;
    return c;
  }
  std::string form() const {
    Names names(count_);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (has(c)) names[place_[c]] = columns_[c].name;
    return fmt::format("{}", fmt::join(names, ","));
  }
  void header() {
    Names names;
    for (const auto& column : columns_) names.emplace_back(column.name);
    std::fill(place_.begin(), place_.end(), none);
    count_ = fields().size();
    for (std::size_t at = 0; at < count_; ++at) {
      std::size_t& place = place_[known(fields()[at], names, "column")];
      if (place != none) fail("the column " + io::in_quotes(fields()[at]) + " is there twice");
      place = at;
    }
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].needed && !has(c)) fail(fmt::format("the header has no column '{}'", columns_[c].name));
  }

  const std::vector<std::string>& fields() const { return records_.fields(); }

  std::string path_;
  ListRecords records_;
  bool first_ = true;
  const char* entry_;
  std::vector<Column> columns_;
  std::vector<std::size_t> place_;  // of each column among the fields
  std::size_t count_ = 0;
};

Names node_names(const SliceInstance& instance) {
  Names out;
  for (const auto& node : instance.nodes) out.push_back(node.name);
  return out;
}

}  // namespace

std::vector<std::optional<double>> read_functions(const std::string& path, SliceInstance& instance) {
  enum { node, capacity, functions };
  List list(path, "host", {{"node"}, {"capacity"}, {"functions"}});
  const Names nodes = node_names(instance);
  std::vector<std::optional<double>> out(nodes.size());
  instance.functions.clear();
  for (auto& one : instance.nodes) one.functions.clear();
  while (list.next()) {
    const std::size_t at = list.known(list.text(node), nodes, "node");
    auto& offered = instance.nodes[at].functions;
    if (!offered.empty()) list.fail("the node " + io::in_quotes(nodes[at]) + " has two lines");
    if (!list.text(capacity).empty()) {
      out[at] = list.number(capacity);
      if (!(*out[at] >= 0 && *out[at] <= largest_amount))
        list.fail(
            fmt::format("the capacity is {}; it must be a number from 0 to {:g}", *out[at], largest_amount));
    }
    for (const std::string& name : list.words(functions)) {
      const auto found = std::find(instance.functions.begin(), instance.functions.end(), name);
      const auto f = static_cast<std::size_t>(found - instance.functions.begin());
      if (found == instance.functions.end()) instance.functions.push_back(name);
      if (std::find(offered.begin(), offered.end(), f) != offered.end())
        list.fail(fmt::format("the node {} offers {} twice", io::in_quotes(nodes[at]), io::in_quotes(name)));
      offered.push_back(f);
    }
    if (offered.empty())
      list.fail(fmt::format("the node {} offers no function; nodes that only forward have no line",
                            io::in_quotes(nodes[at])));
  }
  if (instance.functions.empty()) throw InputError(path, 0, "the list of functions is empty");
  return out;
}

void read_flows(const std::string& path, SliceInstance& instance, const std::string& offers) {
  enum { source, target, rate, chain, name, max_delay };
  List list(path, "flow",
            {{"source"}, {"target"}, {"rate"}, {"chain"}, {"name", false}, {"max_delay", false}});
  const Names nodes = node_names(instance);
  Names names;
  instance.flows.clear();
  while (list.next()) {
    SliceFlow flow;
    flow.name = list.has(name) ? list.text(name) : fmt::format("flow{}", instance.flows.size() + 1);
    if (std::find(names.begin(), names.end(), flow.name) != names.end())
      list.fail("two flows are called " + io::in_quotes(flow.name));
    flow.source = list.known(list.text(source), nodes, "node");
    flow.target = list.known(list.text(target), nodes, "node");
    flow.rate = list.number(rate);
    if (list.has(max_delay) && !list.text(max_delay).empty()) flow.max_delay = list.number(max_delay);
    for (const std::string& function : list.words(chain)) {
      const std::string hint =
          offers.empty() ? fmt::format(
                               ": without --functions they are made up and called {}; --functions FILE, with "
                               "lines node,capacity,functions, says which node offers which",
                               fmt::join(instance.functions, ", "))
                         : fmt::format(", no node of {} offers it{}", offers,
                                       did_you_mean(function, instance.functions));
      flow.chain.push_back(list.known(function, instance.functions, "function", hint));
    }
    try {
      check_flow(instance, flow);
    } catch (const InputError& error) {
      list.fail(error.what());
    }
    names.push_back(flow.name);
    instance.flows.push_back(std::move(flow));
  }
  if (instance.flows.empty()) throw InputError(path, 0, "the list of flows is empty");
}

}  // namespace bridle
