#include "bridle/mpi/session.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#ifdef BRIDLE_MPI
#include "bridle/mpi/mpi_exchange.hpp"
#include "bridle/mpi/waiting.hpp"
#endif

namespace bridle {
namespace {

int environment_number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Open MPI's mpirun tells its processes so.
int launched_ranks() { return environment_number("OMPI_COMM_WORLD_SIZE", 1); }

}  // namespace

int launched_rank() { return environment_number("OMPI_COMM_WORLD_RANK", 0); }

#ifdef BRIDLE_MPI
namespace {

// The sums are taken in the order of the ranks, which is the order of the samples in the batch: with a sample
// per rank the result has the bits of one process that goes through the batch.
class MpiBatchShare final : public BatchShare {
 public:
  MpiBatchShare(int rank, int ranks, double patience) : rank_(rank), ranks_(ranks), patience_(patience) {}

  bool mine(Index k) const override { return k % ranks_ == rank_; }
  void sum(VectorRef gradient) const override {
    all_.resize(gradient.size(), ranks_);
    MPI_Request request = MPI_REQUEST_NULL;
    const auto size = static_cast<int>(gradient.size());
    MPI_Iallgather(gradient.data(), size, MPI_DOUBLE, all_.data(), size, MPI_DOUBLE, MPI_COMM_WORLD,
                   &request);
    wait_for(request, patience_);
    gradient = all_.col(0);
    for (int k = 1; k < ranks_; ++k) gradient += all_.col(k);
  }

 private:
  int rank_, ranks_;
  double patience_;
  mutable Matrix all_;  // scratch: a column per rank
};

}  // namespace

MpiSession::MpiSession(double patience) : patience_(patience) {
  if (launched_ranks() == 1) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiSession::~MpiSession() {
  if (ranks_ > 1) MPI_Finalize();
}

std::unique_ptr<Exchange> MpiSession::exchange(const Territory& territory) const {
  if (ranks_ == 1) return std::make_unique<OneProcess>();
  return std::make_unique<MpiExchange>(territory, patience_);
}

std::unique_ptr<BatchShare> MpiSession::batch_share() const {
  return std::make_unique<MpiBatchShare>(rank_, ranks_, patience_);
}

bool MpiSession::any(bool flag) const {
  if (ranks_ == 1) return flag;
  int value = flag ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
  return value != 0;
}

void MpiSession::together(const std::function<void()>& work) const {
  std::string message;
  try {
    work();
  } catch (const InputError& error) {
    if (ranks_ == 1) throw;
    message = error.what();
  }
  if (ranks_ == 1) return;
  int first = message.empty() ? ranks_ : rank_;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks_) return;
  int size = static_cast<int>(message.size());
  MPI_Bcast(&size, 1, MPI_INT, first, MPI_COMM_WORLD);
  message.resize(static_cast<std::size_t>(size));
  MPI_Bcast(message.data(), size, MPI_CHAR, first, MPI_COMM_WORLD);
  throw InputError(message);
}

void MpiSession::abort(int exit_code) const {
  if (ranks_ > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

#else

MpiSession::MpiSession(double patience) : patience_(patience) {
  if (launched_ranks() > 1)
    throw InputError("this bridle was built without MPI: run it without mpirun, or build it where mpi.h is");
}
MpiSession::~MpiSession() = default;
std::unique_ptr<Exchange> MpiSession::exchange(const Territory&) const {
  return std::make_unique<OneProcess>();
}
std::unique_ptr<BatchShare> MpiSession::batch_share() const { return nullptr; }
bool MpiSession::any(bool flag) const { return flag; }
void MpiSession::together(const std::function<void()>& work) const { work(); }
void MpiSession::abort(int exit_code) const { std::_Exit(exit_code); }

#endif

}  // namespace bridle
