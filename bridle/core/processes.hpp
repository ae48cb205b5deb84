// Several processes that work on one run. Everything here is a collective or half of a pair: all processes
// that have a part in it come to it in the same order.
#pragma once

#include <memory>
#include <span>

#include "bridle/core/types.hpp"

namespace bridle {

class Processes {
 public:
  virtual ~Processes() = default;
  virtual Index count() const = 0;
  virtual Index number() const = 0;  // of this one, from 0
  // figures <- the sum, or the largest, over all processes: the same bits in each.
  virtual void sum(VectorRef figures) const = 0;
  virtual void largest(VectorRef figures) const = 0;
  // What one process sends another receives; what one has to say, all hear.
  virtual void send(Index to, std::span<const double> numbers) const = 0;
  virtual void receive(Index from, std::span<double> numbers) const = 0;
  virtual void broadcast(Index from, std::span<double> numbers) const = 0;
};

// Parts of a whole, such as samples, are dealt out evenly: part `number` of `count` begins here.
inline Index first_of_share(Index whole, Index number, Index count) { return whole * number / count; }

// A whole in `count` even shares. Each process has some that lie side by side.
struct Shares {
  Index count = 1;
  std::shared_ptr<const Processes> among = {};  // null: one process has all of them

  // The shares of a process: first, ..., end - 1.
  Index first_of(Index process) const { return first_of_share(count, process, among ? among->count() : 1); }
  Index first() const { return first_of(among ? among->number() : 0); }
  Index end() const { return first_of(among ? among->number() + 1 : 1); }
};

}  // namespace bridle
