// The processes that mpirun started. Without mpirun, or built without MPI, there is one, and MPI is never
// touched.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>

#include "bridle/core/batch_share.hpp"
#include "bridle/network/exchange.hpp"

namespace bridle {

// A rank has not answered for too long. What to do is the command's business: other ranks cannot be asked.
class RankLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This process's number among those that mpirun started, before MPI is up; 0 without mpirun.
int launched_rank();

class MpiSession {
 public:
  // `patience`: seconds that a rank is waited for.
  explicit MpiSession(double patience);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  std::unique_ptr<Exchange> exchange(const Territory& territory) const;
  // For batches whose sample k is evaluated by rank k modulo the number of ranks.
  std::unique_ptr<BatchShare> batch_share() const;
  bool any(bool flag) const;  // true everywhere if it is true anywhere
  // Runs `work` on all ranks; an InputError of one becomes an InputError of all.
  void together(const std::function<void()>& work) const;
  // Ends the processes of all ranks, at once.
  [[noreturn]] void abort(int exit_code) const;

 private:
  double patience_;
  int rank_ = 0, ranks_ = 1;
};

}  // namespace bridle
