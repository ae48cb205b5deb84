// Decimal numbers in text files: fast, independent of the locale.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

namespace bridle::io {

// Digits with at most one point and no exponent, exact in a double: what most files hold, several times
// faster than from_chars. A mantissa below 2^53 divided by an exact power of ten is rounded once, so the
// result is the same. Returns null if the text is anything else.
inline const char* parse_short_decimal(const char* first, const char* last, double& value) {
  static constexpr std::array<double, 19> powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  const bool negative = first != last && *first == '-';
  const char* at = first + (negative ? 1 : 0);
  std::uint64_t mantissa = 0;
  const auto take_digits = [&] {
    const char* const start = at;
    for (; at != last && static_cast<unsigned char>(*at - '0') < 10; ++at)
      mantissa = 10 * mantissa + static_cast<unsigned char>(*at - '0');
    return at - start;
  };
  std::ptrdiff_t digits = take_digits();
  std::ptrdiff_t decimals = 0;
  if (at != last && *at == '.') {
    ++at;
    decimals = take_digits();
    digits += decimals;
  }
  // Up to 18 digits cannot overflow the mantissa.
  if (digits == 0 || digits > 18 || mantissa > (std::uint64_t{1} << 53)) return nullptr;
  if (at != last && (*at == 'e' || *at == 'E')) return nullptr;
  const double size = static_cast<double>(mantissa) / powers[static_cast<std::size_t>(decimals)];
  value = negative ? -size : size;
  return at;
}

// Reads a number of any form at the front of [first, last), a leading '+' allowed. Returns the end of the
// number, or first if there is none. Values too large for a double become infinite, values too small become
// 0; "inf" and "nan" are read as such: the caller refuses what is not finite.
inline const char* parse_any_number(const char* first, const char* last, double& value) {
  const char* start = first;
  if (start != last && *start == '+') {
    ++start;
    if (start != last && *start == '-') return first;
  }
  const auto [end, code] = std::from_chars(start, last, value);
  if (code == std::errc{}) return end;
  if (code != std::errc::result_out_of_range) return first;
  // from_chars does not say whether the value was too large or too small; the wider type does.
  long double wide = 0;
  bool large = false;
  if (std::from_chars(start, last, wide).ec == std::errc{}) {
    large = wide > 1 || wide < -1;
  } else {
    const std::string_view text(start, static_cast<std::size_t>(end - start));
    const auto exponent = text.find_first_of("eE");
    large = exponent == std::string_view::npos ? text.find_first_of("123456789") < text.find('.')
                                               : text.substr(exponent + 1, 1) != "-";
  }
  value = large ? std::numeric_limits<double>::infinity() : 0.0;
  if (*start == '-') value = -value;
  return end;
}

// The same, quick for the usual short numbers.
inline const char* parse_number_prefix(const char* first, const char* last, double& value) {
  const char* const quick = parse_short_decimal(first, last, value);
  return quick != nullptr ? quick : parse_any_number(first, last, value);
}

// True if all of the text is one number.
inline bool parse_number(std::string_view text, double& value) {
  const char* const last = text.data() + text.size();
  // Longer texts have too many digits for the quick way as a rule.
  if (text.size() <= 17 && parse_short_decimal(text.data(), last, value) == last) return true;
  return !text.empty() && parse_any_number(text.data(), last, value) == last;
}

}  // namespace bridle::io
