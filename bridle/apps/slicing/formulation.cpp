#include "bridle/apps/slicing/formulation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace bridle {

class Formulation::Builder {
 public:
  explicit Builder(Index columns) : columns_(columns) {}
  void row(std::string name, double lower, double upper) {
    names_.push_back(std::move(name));
    lower_.push_back(lower);
    upper_.push_back(upper);
  }
  void add(Index column, double value) {
    entries_.emplace_back(static_cast<Index>(names_.size()) - 1, column, value);
  }
  Index count() const { return static_cast<Index>(names_.size()); }
  Rows finish() {
    Rows out;
    out.matrix.resize(count(), columns_);
    out.matrix.setFromTriplets(entries_.begin(), entries_.end());
    out.lower = Eigen::Map<const Vector>(lower_.data(), count());
    out.upper = Eigen::Map<const Vector>(upper_.data(), count());
    out.names = std::move(names_);
    return out;
  }

 private:
  Index columns_;
  Names names_;
  std::vector<double> lower_, upper_;
  std::vector<Eigen::Triplet<double>> entries_;
};

Formulation::Formulation(const SliceInstance& instance) : instance_(instance) {
  lay_out();
  build_structure();
  build_capacities();
}

void Formulation::lay_out() {
  const auto links = static_cast<Index>(instance_.links.size());
  for (const auto& flow : instance_.flows) {
    first_traffic_.push_back(variables_);
    variables_ += links * static_cast<Index>(flow.chain.size() + 1);
  }
  first_host_ = variables_;
  for (std::size_t k = 0; k < instance_.flows.size(); ++k) {
    first_choice_.push_back(choices_.size());
    auto hosts = instance_.hosts_along(instance_.flows[k]);
    for (std::size_t s = 0; s < hosts.size(); ++s) {
      choices_.push_back({k, s, std::move(hosts[s]), variables_});
      variables_ += static_cast<Index>(choices_.back().hosts.size());
    }
  }
  cost_ = Vector::Zero(variables_);
  for (std::size_t k = 0; k < instance_.flows.size(); ++k)
    for (std::size_t s = 0; s <= instance_.flows[k].chain.size(); ++s)
      cost_.segment(traffic(k, s, 0), links) = instance_.flows[k].rate * instance_.link_costs();
}

void Formulation::build_structure() {
  Builder rows(variables_);
  const std::size_t nodes = instance_.nodes.size(), links = instance_.links.size();
  const auto for_each_host = [](const Choice& choice, auto&& visit) {
    for (std::size_t j = 0; j < choice.hosts.size(); ++j)
      visit(choice.hosts[j], choice.first + static_cast<Index>(j));
  };
  for (std::size_t k = 0; k < instance_.flows.size(); ++k) {
    const SliceFlow& flow = instance_.flows[k];
    const std::size_t functions = flow.chain.size();
    for (std::size_t s = 0; s <= functions; ++s)
      for (std::size_t i = 0; i + 1 < nodes; ++i) {  // the last node's balance follows from the others'
        const double right =
            (s == 0 && i == flow.source ? 1.0 : 0.0) - (s == functions && i == flow.target ? 1.0 : 0.0);
        rows.row(fmt::format("balance_{}_{}_{}", k, s, i), right, right);
        for (std::size_t l = 0; l < links; ++l) {
          if (instance_.links[l].from == i) rows.add(traffic(k, s, l), 1);
          if (instance_.links[l].to == i) rows.add(traffic(k, s, l), -1);
        }
        const auto moved = [&](std::size_t function, double sign) {
          for_each_host(choice(k, function), [&](std::size_t host, Index variable) {
            if (host == i) rows.add(variable, sign);
          });
        };
        if (s > 0) moved(s - 1, -1);
        if (s < functions) moved(s, 1);
      }
    for (std::size_t s = 0; s < functions; ++s) {
      rows.row(fmt::format("once_{}_{}", k, s), 1, 1);
      for_each_host(choice(k, s), [&](std::size_t, Index variable) { rows.add(variable, 1); });
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      std::vector<Index> here;
      for (std::size_t s = 0; s < functions; ++s)
        for_each_host(choice(k, s), [&](std::size_t host, Index variable) {
          if (host == i) here.push_back(variable);
        });
      if (here.size() < 2) continue;
      rows.row(fmt::format("apart_{}_{}", k, i), -infinity, 1);
      for (const Index variable : here) rows.add(variable, 1);
    }
    for (std::size_t s = 0; s + 1 < functions; ++s)
      for_each_host(choice(k, s), [&](std::size_t host, Index variable) {
        const auto& next = choice(k, s + 1).hosts;
        if (std::find(next.begin(), next.end(), host) == next.end()) return;
        rows.row(fmt::format("cut_{}_{}_{}", k, s, host), -infinity, 0);
        rows.add(variable, 1);
        for (std::size_t l = 0; l < links; ++l)
          if (instance_.links[l].from == host) rows.add(traffic(k, s + 1, l), -1);
      });
  }
  const double longest = instance_.link_delays().maxCoeff();
  for (std::size_t k = 0; k < instance_.flows.size(); ++k) {
    const SliceFlow& flow = instance_.flows[k];
    if (!flow.in_a_hurry() || !(longest > 0)) continue;
    const double unit = std::max(flow.max_delay, longest);
    rows.row(fmt::format("delay_{}", k), -infinity, flow.max_delay / unit);
    for (std::size_t s = 0; s <= flow.chain.size(); ++s)
      for (std::size_t l = 0; l < links; ++l)
        if (instance_.links[l].delay > 0) rows.add(traffic(k, s, l), instance_.links[l].delay / unit);
  }
  structure_ = rows.finish();
}

void Formulation::build_capacities() {
  Builder rows(variables_);
  for (std::size_t i = 0; i < instance_.nodes.size(); ++i) {
    if (instance_.nodes[i].functions.empty()) continue;
    rows.row(fmt::format("node_{}", i), -infinity, instance_.nodes[i].capacity);
    for (const Choice& choice : choices_)
      for (std::size_t j = 0; j < choice.hosts.size(); ++j)
        if (choice.hosts[j] == i)
          rows.add(choice.first + static_cast<Index>(j), instance_.flows[choice.flow].rate);
  }
  first_link_row_ = rows.count();
  for (std::size_t l = 0; l < instance_.links.size(); ++l) {
    rows.row(fmt::format("link_{}", l), -infinity, instance_.links[l].capacity);
    for (std::size_t k = 0; k < instance_.flows.size(); ++k)
      for (std::size_t s = 0; s <= instance_.flows[k].chain.size(); ++s)
        rows.add(traffic(k, s, l), instance_.flows[k].rate);
  }
  capacity_ = rows.finish();
}

Names Formulation::variable_names() const {
  Names out;
  out.reserve(static_cast<std::size_t>(variables_));
  for (std::size_t k = 0; k < instance_.flows.size(); ++k)
    for (std::size_t s = 0; s <= instance_.flows[k].chain.size(); ++s)
      for (std::size_t l = 0; l < instance_.links.size(); ++l)
        out.push_back(fmt::format("y_{}_{}_{}", k, s, l));
  for (const Choice& choice : choices_)
    for (const std::size_t host : choice.hosts)
      out.push_back(fmt::format("x_{}_{}_{}", choice.flow, choice.function, host));
  return out;
}

std::string lp_text(const Formulation& formulation) {
  const SliceInstance& instance = formulation.instance();
  const Names names = formulation.variable_names();
  std::string out =
      "\\ y_k_s_l: part of flow k's leg s on link l; x_k_s_i: node i runs function s of flow k\n";
  for (std::size_t i = 0; i < instance.nodes.size(); ++i)
    out += fmt::format("\\ node {} = {}\n", i, instance.nodes[i].name);
  for (std::size_t l = 0; l < instance.links.size(); ++l)
    out += fmt::format("\\ link {} = {}\n", l, instance.link_name(l));
  out += "Minimize\n obj:";
  for (Index j = 0; j < formulation.first_host_variable(); ++j)
    out += fmt::format("\n + {} {}", formulation.cost(j), names[static_cast<std::size_t>(j)]);
  out += "\nSubject To\n";
  for (const Rows* rows : {&formulation.structure(), &formulation.capacities()})
    for (Index i = 0; i < rows->count(); ++i) {
      out += fmt::format(" {}:", rows->names[static_cast<std::size_t>(i)]);
      for (SparseRows::InnerIterator it(rows->matrix, i); it; ++it)
        out += fmt::format("\n {} {} {}", it.value() < 0 ? '-' : '+', std::abs(it.value()),
                           names[static_cast<std::size_t>(it.col())]);
      out += fmt::format("\n {} {}\n", rows->is_equality(i) ? "=" : "<=", rows->upper[i]);
    }
  out += "Bounds\n";
  for (const auto& name : names) out += fmt::format(" 0 <= {} <= 1\n", name);
  out += "Binaries\n";
  for (Index j = formulation.first_host_variable(); j < formulation.variables(); ++j)
    out += fmt::format(" {}\n", names[static_cast<std::size_t>(j)]);
  return out + "End\n";
}

}  // namespace bridle
