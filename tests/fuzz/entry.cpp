// What libFuzzer calls. One program for all targets: BRIDLE_FUZZ_TARGET in the environment names the one.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.hpp"

namespace {

const bridle::fuzz::Target& chosen_target() {
  const char* const name = std::getenv("BRIDLE_FUZZ_TARGET");
  const auto* const target = bridle::fuzz::find_target(name ? name : "");
  if (target) return *target;
  std::fprintf(stderr, "BRIDLE_FUZZ_TARGET names no target\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bridle::fuzz::Target& target = chosen_target();
  bridle::fuzz::feed_quietly(target, {reinterpret_cast<const char*>(data), size});
  return 0;
}
