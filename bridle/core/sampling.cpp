#include "bridle/core/sampling.hpp"

#include "bridle/core/dispatch.hpp"

namespace bridle {

BRIDLE_DISPATCH void feistel_each(const FeistelKeys& keys, int half, std::span<std::uint64_t> values) {
  const FeistelKeys own = keys;
  for (std::uint64_t& v : values) v = feistel_rounds(own, half, v);
}

}  // namespace bridle
