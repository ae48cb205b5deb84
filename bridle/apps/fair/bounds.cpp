#include "bridle/apps/fair/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bridle/core/error.hpp"
#include "bridle/core/name_list.hpp"
#include "bridle/core/nearest.hpp"
#include "bridle/io/number.hpp"

namespace bridle {
namespace {

Names split(const std::string& text, char separator) {
  Names out{""};
  for (const char c : text)
    if (c == separator)
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

}  // namespace

std::string Bound::text() const {
  return relative ? fmt::format("{:g}%", 100 * value) : fmt::format("{:g}", value);
}

Bound parse_bound(const std::string& text, const std::string& option) {
  Bound out;
  out.relative = text.ends_with('%');
  const std::string number = out.relative ? text.substr(0, text.size() - 1) : text;
  if (!io::parse_number(number, out.value) || !(out.value >= 0) || !is_finite(out.value))
    throw InputError(option + " '" + text + "' is not a finite number >= 0, nor such a number with '%'");
  if (out.relative) out.value /= 100;
  return out;
}

BoundList::BoundList(const std::string& text, const Names& attributes) {
  for (const auto& item : split_list(text, "--bound")) {
    const auto equals = item.rfind('=');
    if (equals == std::string::npos) {
      if (for_all_) throw InputError("--bound '" + text + "' has two bounds without a name");
      for_all_ = parse_bound(item, "--bound");
      continue;
    }
    const std::string name = item.substr(0, equals);
    if (std::find(attributes.begin(), attributes.end(), name) == attributes.end())
      throw InputError("--bound names '" + name + "', which is not under --sensitive" +
                       did_you_mean(name, attributes));
    if (!named_.emplace(name, parse_bound(item.substr(equals + 1), "--bound " + name)).second)
      throw InputError("--bound names '" + name + "' twice");
  }
  if (for_all_) return;
  for (const auto& name : attributes)
    if (!named_.count(name)) throw InputError("--bound has none for the sensitive column '" + name + "'");
}

Bound BoundList::of(const std::string& attribute) const {
  const auto found = named_.find(attribute);
  return found != named_.end() ? found->second : for_all_.value_or(Bound{});
}

bool BoundList::relative() const {
  return (for_all_ && for_all_->relative) ||
         std::any_of(named_.begin(), named_.end(), [](const auto& item) { return item.second.relative; });
}

std::vector<Bound> parse_sweep(const std::string& text, const std::string& option) {
  const Names parts = split(text, ':');
  if (parts.size() != 3)
    throw InputError(option + " '" + text + "' is not LOW:HIGH:COUNT, such as 0.0005:0.2:25");
  const Bound low = parse_bound(parts[0], option), high = parse_bound(parts[1], option);
  double count = 0;
  if (!io::parse_number(parts[2], count) || !(count >= 2) || count != std::floor(count) || count > 10'000)
    throw InputError(option + ": the count '" + parts[2] + "' is not a whole number from 2 to 10000");
  if (low.relative != high.relative) throw InputError(option + ": both ends need a '%', or none");
  if (!(low.value > 0) || !(high.value > low.value))
    throw InputError(option + " '" + text + "' needs 0 < LOW < HIGH");
  std::vector<Bound> out;
  const double step = std::log(high.value / low.value) / (count - 1);
  for (double k = 0; k < count; ++k) {
    const double value = k + 1 == count ? high.value : low.value * std::exp(k * step);
    // Five digits, so that what is printed is what was solved.
    out.push_back({std::stod(fmt::format("{:.4e}", value)), low.relative});
  }
  return out;
}

}  // namespace bridle
