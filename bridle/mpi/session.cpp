#include "bridle/mpi/session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

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

// What the environment says of the processes that are to work together.
struct Launch {
  int ranks = 1, rank = 0;  // 0 ranks: as many as MPI says
  bool by_srun = false;
};

// The innermost launcher is asked first: mpirun itself may have been started by srun, on other nodes always
// is. A batch script has SLURM_NTASKS and is one process: SLURM_STEP_NUM_TASKS is srun's alone.
Launch launch() {
  for (const auto& [ranks, rank] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), std::pair("PMI_SIZE", "PMI_RANK")})
    if (std::getenv(ranks)) return {environment_number(ranks, 1), environment_number(rank, 0)};
  const char* const job = std::getenv("PMIX_NAMESPACE");
  if (job && !std::string_view(job).starts_with("slurm.")) return {0, environment_number("PMIX_RANK", 0)};
  return {environment_number("SLURM_STEP_NUM_TASKS", 1), environment_number("SLURM_PROCID", 0), true};
}

// Of which one tells of errors that all meet: srun's tasks may also be runs of their own, until they come
// here.
int known_rank = environment_number("OMPI_COMM_WORLD_RANK", 0);

}  // namespace

int launched_ranks_here() { return std::max(1, environment_number("OMPI_COMM_WORLD_LOCAL_SIZE", 1)); }
int launched_rank() { return known_rank; }

#ifdef BRIDLE_MPI
namespace {

// Sums are taken in the order of the ranks.
class MpiProcesses final : public Processes {
 public:
  MpiProcesses(int rank, int ranks, double patience) : rank_(rank), ranks_(ranks), patience_(patience) {}

  Index count() const override { return ranks_; }
  Index number() const override { return rank_; }
  void sum(VectorRef figures) const override {
    gather(figures);
    figures = all_.col(0);
    for (int k = 1; k < ranks_; ++k) figures += all_.col(k);
  }
  void largest(VectorRef figures) const override {
    gather(figures);
    figures = all_.rowwise().maxCoeff();
  }
  void send(Index to, std::span<const double> numbers) const override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(numbers.data(), size_of(numbers), MPI_DOUBLE, static_cast<int>(to), tag, MPI_COMM_WORLD,
              &request);
    wait_for(std::span(&request, 1), std::array{static_cast<int>(to)}, patience_);
  }
  void receive(Index from, std::span<double> numbers) const override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(numbers.data(), size_of(numbers), MPI_DOUBLE, static_cast<int>(from), tag, MPI_COMM_WORLD,
              &request);
    wait_for(std::span(&request, 1), std::array{static_cast<int>(from)}, patience_);
  }
  void broadcast(Index from, std::span<double> numbers) const override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(numbers.data(), size_of(numbers), MPI_DOUBLE, static_cast<int>(from), MPI_COMM_WORLD,
               &request);
    wait_for(request, patience_);
  }

 private:
  static constexpr int tag = 1;
  static int size_of(std::span<const double> numbers) {
    return message_size(static_cast<Index>(numbers.size()));
  }
  void gather(VectorRef figures) const {
    all_.resize(figures.size(), ranks_);
    MPI_Request request = MPI_REQUEST_NULL;
    const int size = message_size(figures.size());
    MPI_Iallgather(figures.data(), size, MPI_DOUBLE, all_.data(), size, MPI_DOUBLE, MPI_COMM_WORLD, &request);
    wait_for(request, patience_);
  }

  int rank_, ranks_;
  double patience_;
  mutable Matrix all_;  // scratch: a column per rank
};

}  // namespace

namespace {

// They would write the same files, each with the result of a run of its own.
[[noreturn]] void refuse_strangers(const Launch& launch) {
  known_rank = launch.rank;
  throw InputError((launch.by_srun ? "srun started " : "mpirun started ") + std::to_string(launch.ranks) +
                   " processes, but MPI does not connect them: " +
                   (launch.by_srun
                        ? "say srun --mpi=pmix (srun --mpi=list shows what there is), or use mpirun"
                        : "use the mpirun of the MPI that this bridle was built with") +
                   "; OMPI_COMM_WORLD_SIZE=1 makes each a run of its own");
}

// Open MPI would end the process with a page of advice for who builds MPI.
bool surely_strangers([[maybe_unused]] const Launch& launch) {
#ifdef OPEN_MPI
  return launch.by_srun && !std::getenv("PMIX_RANK");
#else
  return false;
#endif
}

}  // namespace

MpiSession::MpiSession(double patience) : patience_(patience) {
  const Launch launched = launch();
  if (launched.ranks == 1) return;
  if (surely_strangers(launched)) refuse_strangers(launched);
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  started_ = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  known_rank = rank_;
  if (ranks_ > 1 || launched.ranks == 0) return;
  MPI_Finalize();
  refuse_strangers(launched);
}

MpiSession::~MpiSession() {
  if (started_) MPI_Finalize();
}

std::unique_ptr<Exchange> MpiSession::exchange(const Territory& territory) const {
  if (ranks_ == 1) return std::make_unique<OneProcess>();
  return std::make_unique<MpiExchange>(territory, patience_);
}

std::shared_ptr<const Processes> MpiSession::processes() const {
  return ranks_ > 1 ? std::make_shared<MpiProcesses>(rank_, ranks_, patience_) : nullptr;
}

void MpiSession::wait_for_all() const {
  if (ranks_ == 1) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

double MpiSession::seconds_waited() const { return bridle::seconds_waited(); }

bool MpiSession::any(bool flag) const {
  if (ranks_ == 1) return flag;
  int value = flag ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
  return value != 0;
}

namespace {

constexpr char says = ' ', fails = '!';  // what begins a text

}  // namespace

std::vector<std::string> MpiSession::all(std::string mine) const {
  if (ranks_ == 1) return {std::move(mine)};
  return exchange_texts(says + mine);
}

std::vector<std::string> MpiSession::exchange_texts(const std::string& mine) const {
  const auto count = static_cast<std::size_t>(ranks_);
  std::vector<int> sizes(count), starts(count, 0);
  int size = message_size(static_cast<Index>(mine.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
  for (std::size_t r = 1; r < count; ++r)
    starts[r] = message_size(Index{starts[r - 1]} + Index{sizes[r - 1]});
  message_size(Index{starts.back()} + Index{sizes.back()});
  std::string joined(static_cast<std::size_t>(starts.back() + sizes.back()), ' ');
  MPI_Iallgatherv(mine.data(), size, MPI_CHAR, joined.data(), sizes.data(), starts.data(), MPI_CHAR,
                  MPI_COMM_WORLD, &request);
  wait_for(request, patience_);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < count; ++r) {
    const auto begin = static_cast<std::size_t>(starts[r]), length = static_cast<std::size_t>(sizes[r]);
    if (joined[begin] == fails) throw ErrorOfAll(joined.substr(begin + 1, length - 1));
    texts.push_back(joined.substr(begin + 1, length - 1));
  }
  return texts;
}

void MpiSession::together(const std::function<void()>& work) const {
  try {
    work();
  } catch (const ErrorOfAll&) {
    throw;
  } catch (const InputError& error) {
    if (ranks_ == 1) throw;
    exchange_texts(fails + std::string(error.what()));
  }
  all("");  // none has failed
}

void MpiSession::abort(int exit_code) const {
  if (ranks_ > 1) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

#else

MpiSession::MpiSession(double patience) : patience_(patience) {
  const Launch launched = launch();
  if (launched.ranks <= 1) return;
  known_rank = launched.rank;
  throw InputError(
      "this bridle was built without MPI: run it without mpirun or srun, or build it where mpi.h is");
}
MpiSession::~MpiSession() = default;
std::unique_ptr<Exchange> MpiSession::exchange(const Territory&) const {
  return std::make_unique<OneProcess>();
}
std::shared_ptr<const Processes> MpiSession::processes() const { return nullptr; }
void MpiSession::wait_for_all() const {}
double MpiSession::seconds_waited() const { return 0; }
bool MpiSession::any(bool flag) const { return flag; }
std::vector<std::string> MpiSession::all(std::string mine) const { return {std::move(mine)}; }
void MpiSession::together(const std::function<void()>& work) const { work(); }
void MpiSession::abort(int exit_code) const { std::_Exit(exit_code); }

#endif

}  // namespace bridle
