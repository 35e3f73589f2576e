#include "support/option_types.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "papilio/device.h"
#include "papilio/error.h"
#include "papilio/lda.h"
#include "support/arguments.h"
#include "support/device_choice.h"
#include "support/suggestion.h"
#include "support/text.h"

namespace option_types {

namespace {

std::string fault(std::string_view text, std::string_view expected) {
  return fmt::format("is {}, expected {}", shown(text), expected);
}

bool begins_with_a_digit(std::string_view text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

// Reads the whole text as decimal digits into `value`.
template <class T>
bool reads_as(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string grouped_limit(std::uint64_t high) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return high > most ? "2^64 - 1" : grouped(static_cast<std::int64_t>(high));
}

}  // namespace

std::string integer_fault(std::string_view text, std::int64_t low, std::uint64_t high, std::string_view expected) {
  const bool is_negative = text.starts_with('-') && low < 0;
  const std::string_view digits = is_negative ? text.substr(1) : text;
  std::uint64_t size = 0;
  // CLI11 reads a number that begins with 0 as octal.
  const bool is_decimal = begins_with_a_digit(digits) && (digits.size() == 1 || digits.front() != '0');
  if (!is_decimal || !reads_as(digits, size)) {
    return fault(text, expected);
  }
  const bool fits = is_negative ? size <= static_cast<std::uint64_t>(-(low + 1)) + 1
                                : size <= high && (low <= 0 || size >= static_cast<std::uint64_t>(low));
  if (fits) return "";
  // If `expected` does not name the upper limit, it is named only when it is exceeded.
  const bool is_too_large = !is_negative && size > high && !expected.ends_with(grouped_limit(high));
  return fault(text, is_too_large ? fmt::format("{}, and at most {}", expected, grouped_limit(high)) : expected);
}

std::string number_fault(std::string_view text, double low, double high, std::string_view expected) {
  const bool is_negative = text.starts_with('-') && low < 0;
  const std::string_view digits = is_negative ? text.substr(1) : text;
  const bool is_decimal = begins_with_a_digit(digits) || (digits.size() > 1 && digits.front() == '.');
  double value = 0;
  if (!is_decimal || !reads_as(digits, value) || !std::isfinite(value)) {
    return fault(text, expected);
  }
  value = is_negative ? -value : value;
  return low <= value && value <= high ? "" : fault(text, expected);
}

std::string integers_named(std::int64_t low, std::uint64_t high, std::uint64_t largest) {
  if (high == largest) {
    return fmt::format("an integer of at least {}", low);
  }
  return high - static_cast<std::uint64_t>(low) == 1
             ? fmt::format("{} or {}", low, high)
             : fmt::format("an integer from {} to {}", low, grouped(static_cast<std::int64_t>(high)));
}

}  // namespace option_types

namespace {

// 1e6 as "1,000,000", 0.5 as "0.5".
std::string named(double value) {
  constexpr double exact = 1e15;
  return value == std::floor(value) && std::abs(value) < exact ? grouped(static_cast<std::int64_t>(value))
                                                               : fmt::format("{}", value);
}

}  // namespace

CLI::Validator between(double low, double high) {
  const std::string expected = fmt::format("a number from {} to {}", named(low), named(high));
  return CLI::Validator([=](std::string& text) { return option_types::number_fault(text, low, high, expected); },
                        expected, "");
}

CLI::Validator prior() { return between(papilio::least_prior, papilio::largest_prior); }

CLI::Validator thread_count() { return between(0, 4096); }

CLI::Validator seed() {
  constexpr const char* expected = "an integer from 0 to 2^64 - 1";
  return CLI::Validator(
      [](std::string& text) {
        return option_types::integer_fault(text, 0, std::numeric_limits<std::uint64_t>::max(), expected);
      },
      expected, "");
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string expected = listed(words);
  return CLI::Validator(
      [words = std::move(words), expected](std::string& text) {
        const bool is_one = std::find(words.begin(), words.end(), text) != words.end();
        return is_one ? std::string()
                      : fmt::format("is {}, expected {}{}", shown(text), expected, did_you_mean(text, words));
      },
      expected, "");
}

CLI::Validator token_pattern() {
  return CLI::Validator(
      [](std::string& text) {
        const std::string fault = papilio::token_pattern_fault(text);
        return fault.empty() ? fault
                             : fmt::format("is {}, expected a regular expression of RE2: {}", shown(text), fault);
      },
      "REGEX", "");
}

CLI::Validator device_name() {
  return CLI::Validator(
      [](std::string& text) {
        return is_device_name(text)
                   ? std::string()
                   : fmt::format("is {}, expected auto, cpu, cuda or cuda:N, as in cuda:0", shown(text));
      },
      "auto, cpu, cuda or cuda:N", "");
}

CLI::Validator device_names() {
  return CLI::Validator(
      [](std::string& text) {
        if (is_device_name(text)) return std::string();
        try {
          papilio::parse_devices(text);
        } catch (const papilio::InvalidArgument&) {
          return fmt::format("is {}, expected auto, cpu, cuda, cuda:N, cuda:all or a list, as in cuda:0,2",
                             shown(text));
        } catch (const papilio::DeviceUnavailable&) {
          // The name of a device; the command will say that it is absent.
        }
        return std::string();
      },
      "auto, cpu, cuda, cuda:N, cuda:all or a list", "");
}
