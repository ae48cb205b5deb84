#include "bridle/mpi/session.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#ifdef BRIDLE_MPI
#include "bridle/mpi/mpi_exchange.hpp"
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
void MpiSession::together(const std::function<void()>& work) const { work(); }
void MpiSession::abort(int exit_code) const { std::_Exit(exit_code); }

#endif

}  // namespace bridle
