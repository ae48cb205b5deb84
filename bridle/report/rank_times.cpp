#include "bridle/report/rank_times.hpp"

#include <algorithm>

#include "bridle/core/formatted.hpp"

namespace bridle {
namespace {

constexpr double worth_a_word = 0.1;  // of the run's time: a difference in waiting, or a late start

double late(const std::vector<RankTimes>& ranks, const RankTimes& one) {
  double first = 0;
  for (const RankTimes& rank : ranks) first = std::max(first, rank.before);
  return first - one.before;
}

double share(const RankTimes& rank) { return rank.seconds > 0 ? rank.waited / rank.seconds : 0; }

}  // namespace

Json to_json(const std::vector<RankTimes>& ranks) {
  Json out = Json::array();
  for (std::size_t k = 0; k < ranks.size(); ++k)
    out.push_back({{"rank", k},
                   {"threads", ranks[k].threads},
                   {"late_seconds", late(ranks, ranks[k])},
                   {"waited_seconds", ranks[k].waited}});
  return out;
}

std::string rank_text(const std::vector<RankTimes>& ranks) {
  if (ranks.empty()) return {};
  const auto by_share = [](const RankTimes& a, const RankTimes& b) { return share(a) < share(b); };
  const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), by_share);
  std::string out = formatted("ranks       %zu, which waited for others %.0f%% to %.0f%% of the time\n",
                              ranks.size(), 100 * share(*least), 100 * share(*most));
  if (share(*most) - share(*least) > worth_a_word)
    out += formatted("            slowest was rank %td: the others waited for it\n", least - ranks.begin());
  for (std::size_t k = 0; k < ranks.size(); ++k)
    if (const double seconds = late(ranks, ranks[k]); seconds > worth_a_word * ranks[k].seconds)
      out += formatted("            rank %zu was ready %.2g s after the first\n", k, seconds);
  return out;
}

}  // namespace bridle
