// The processes that mpirun or srun started. Without them, or built without MPI, there is one, and MPI is
// never touched.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include "bridle/core/processes.hpp"
#include "bridle/network/exchange.hpp"
#include "bridle/network/ranks.hpp"

namespace bridle {

// A rank has not answered for too long. What to do is the command's business: other ranks cannot be asked.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This process's number among those that work together, before MPI is up too under mpirun; 0 without others.
int launched_rank();
// How many of them run on this machine; 1 without mpirun.
int launched_ranks_here();

class MpiSession final : public Ranks {
 public:
  // `patience`: seconds that a rank is waited for. Throws where several processes were started and MPI does
  // not connect them.
  explicit MpiSession(double patience);
  ~MpiSession() override;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::vector<std::string> all(std::string mine) const override;

  std::unique_ptr<Exchange> exchange(const Territory& territory) const;
  std::shared_ptr<const Processes> processes() const;  // the ranks; null: there is one
  // Returns when all ranks have come here, however long that takes. Sleeps: the core is others'.
  void wait_for_all() const;
  // That this rank has waited for others so far, but for `wait_for_all`.
  double seconds_waited() const;
  bool any(bool flag) const;  // true everywhere if it is true anywhere
  // Runs `work` on all ranks; an InputError of one becomes an InputError of all, also of those that wait in
  // `all` for what it has to say.
  void together(const std::function<void()>& work) const;
  // Ends the processes of all ranks, at once.
  [[noreturn]] void abort(int exit_code) const;

 private:
  // Throws on all ranks when one brings an error instead of a text.
  std::vector<std::string> exchange_texts(const std::string& mine) const;

  double patience_;
  int rank_ = 0, ranks_ = 1;
  bool started_ = false;  // MPI
};

}  // namespace bridle
