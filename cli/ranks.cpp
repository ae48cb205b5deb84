#include "ranks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sched.h>
#include <unistd.h>

#include "bridle/core/threads.hpp"

namespace bridle::cli {

std::optional<unsigned> threads_said() {
  const char* const said = std::getenv("OMP_NUM_THREADS");
  const std::string_view text = said ? said : "";
  unsigned asked = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), asked);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return whole && asked > 0 ? std::optional(asked) : std::nullopt;
}

namespace {

// The machine's name, and a character for each of its processors: whether this process may run on it.
std::string machine_and_processors() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = 0;
  std::string out = name.data() + std::string(" ");
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int k = 0; k < CPU_SETSIZE; ++k) out += CPU_ISSET(k, &allowed) ? '1' : '0';
  return out;
}

std::string_view machine_of(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

RankProcessors::RankProcessors(const MpiSession& session) {
  if (session.ranks() == 1 || threads_said()) return;
  mine_ = machine_and_processors();
  of_all_ = session.all(mine_);
  const auto sharing = std::count(of_all_.begin(), of_all_.end(), mine_);
  use_threads(processors() / static_cast<unsigned>(sharing));
}

void RankProcessors::take_those_of_the_machine() const {
  if (of_all_.empty()) return;
  cpu_set_t together;
  CPU_ZERO(&together);
  for (const std::string& other : of_all_)
    if (machine_of(other) == machine_of(mine_))
      for (int k = 0; k < CPU_SETSIZE; ++k)
        if (other[other.size() - CPU_SETSIZE + static_cast<std::size_t>(k)] == '1') CPU_SET(k, &together);
  if (sched_setaffinity(0, sizeof together, &together) == 0) use_threads(processors());
}

}  // namespace bridle::cli
