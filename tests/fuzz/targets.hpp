// What is fuzzed: a function per reader that feeds it bytes as a file. A reader may throw InputError and
// nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bridle::fuzz {

struct Target {
  std::string_view name;     // of its folder in corpus/ too
  std::string_view meaning;  // what it feeds
  void (*feed)(std::string_view bytes);
};

const std::vector<Target>& all_targets();
const Target* find_target(std::string_view name);

// Feeds the bytes; a refusal is as good as an answer. Everything else that is thrown is a fault.
void feed_quietly(const Target& target, std::string_view bytes);

}  // namespace bridle::fuzz
