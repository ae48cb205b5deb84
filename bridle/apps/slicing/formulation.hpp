// The placement as a linear program with 0-1 variables. Per flow k and leg s, y(k, s, l) in [0, 1] is the
// part of the traffic that takes link l; per function s, x(k, s, i) says that node i runs it:
//
//   minimise   sum of rate_k y(k, s, l), times the link's delay if that is to be small
//   balance    out_i(y(k, s)) - in_i(y(k, s)) = x(k, s-1, i) - x(k, s, i), x at the ends being source, target
//   once       sum_i x(k, s, i) = 1
//   apart      sum_s x(k, s, i) <= 1: the functions of a chain run on different nodes
//   cut        x(k, s, i) <= out_i(y(k, s+1)) where node i offers functions s and s+1: what runs there must
//              leave, for the next function runs elsewhere; it cuts off most fractions
//   delay      mean of a flow's ways within its bound, which is necessary; that of every way has no linear
//   row capacity   of nodes, sum of rate_k x(k, s, i), and of links, sum of rate_k y(k, s, l)
#pragma once

#include "bridle/apps/slicing/instance.hpp"
#include "bridle/problem/problem.hpp"

namespace bridle {

class Formulation {
 public:
  explicit Formulation(const SliceInstance& instance);

  const SliceInstance& instance() const { return instance_; }
  Index variables() const { return variables_; }
  Index first_host_variable() const { return first_host_; }
  Index traffic(std::size_t k, std::size_t s, std::size_t link) const {
    return first_traffic_[k] + static_cast<Index>(s * instance_.links.size() + link);
  }
  // The variables of one function are neighbours, one per host.
  struct Choice {
    std::size_t flow, function;  // function: its place in the chain
    std::vector<std::size_t> hosts;
    Index first;
  };
  const std::vector<Choice>& choices() const { return choices_; }
  const Choice& choice(std::size_t k, std::size_t s) const { return choices_[first_choice_[k] + s]; }
  double cost(Index variable) const { return cost_[variable]; }
  const Vector& costs() const { return cost_; }
  Names variable_names() const;

  const Rows& structure() const { return structure_; }      // all rows but the capacities
  const Rows& capacities() const { return capacity_; }      // of the hosts, then of the links
  Index first_link_row() const { return first_link_row_; }  // within capacities()

 private:
  class Builder;
  void lay_out();
  void build_structure();
  void build_capacities();

  const SliceInstance& instance_;
  Index variables_ = 0, first_host_ = 0, first_link_row_ = 0;
  std::vector<Index> first_traffic_;
  std::vector<std::size_t> first_choice_;
  std::vector<Choice> choices_;
  Vector cost_;
  Rows structure_, capacity_;
};

// The program in LP format, which CBC reads.
std::string lp_text(const Formulation& formulation);

}  // namespace bridle
