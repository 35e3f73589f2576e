#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

namespace papilio::lda {

inline constexpr std::int64_t largest_whole = std::int64_t{1} << 53;

enum class NumberForm : std::uint8_t { whole, fraction, none };

// Reads a whole number that takes up all of the text; "3.0" and "3e2" are whole numbers too. A number beyond 2^53 that
// is not written in digits only, or one beyond int64, becomes the largest or smallest int64: it is out of any range,
// never a wrong number within one.
inline NumberForm parse_whole(std::string_view text, std::int64_t& number) {
  using Limits = std::numeric_limits<std::int64_t>;
  const char* const end = text.data() + text.size();
  const auto [integer_end, integer_error] = std::from_chars(text.data(), end, number);
  if (integer_end == end && integer_error == std::errc()) return NumberForm::whole;
  double value = 0;
  const auto [float_end, float_error] = std::from_chars(text.data(), end, value);
  if (float_end != end || float_error != std::errc() || std::isnan(value)) return NumberForm::none;
  if (value != std::floor(value)) return NumberForm::fraction;
  if (std::abs(value) > static_cast<double>(largest_whole)) {
    number = value > 0 ? Limits::max() : Limits::min();
  } else {
    number = static_cast<std::int64_t>(value);
  }
  return NumberForm::whole;
}

}  // namespace papilio::lda
