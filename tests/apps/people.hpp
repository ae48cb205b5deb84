// A small data set of people, made up: income depends on hours and education, both lean on sex.
#pragma once

#include <string>

#include <fmt/format.h>

#include "bridle/core/random.hpp"

namespace bridle::testing {

inline std::string people_csv(int count = 400, bool with_gaps = false) {
  const Stream stream(11, Purpose::noise);
  std::string out = "hours,education,town,race,sex,income\n";
  for (int i = 0; i < count; ++i) {
    auto draw = [&, place = std::uint64_t{0}](std::uint64_t below) mutable {
      return static_cast<int>(stream.below(below, 10 * static_cast<std::uint64_t>(i) + place++));
    };
    const bool woman = draw(2) == 0;
    const int hours = 20 + draw(30) + (woman ? 0 : 8), education = draw(10);
    const char* town = draw(2) ? "north" : "south";
    const int race = draw(3);
    const bool rich = hours + 3 * education + draw(20) > 66;
    const bool gap = with_gaps && i % 7 == 3;
    out += fmt::format("{},{},{},{},{},{}\n", gap ? "?" : std::to_string(hours), education,
                       with_gaps && i % 11 == 5 ? "" : town,
                       race == 0   ? "a"
                       : race == 1 ? "b"
                                   : "c",
                       woman ? "f" : "m", rich ? "high" : "low");
  }
  return out;
}

}  // namespace bridle::testing
