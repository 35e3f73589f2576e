#include "support/option_types.h"

#include <charconv>
#include <cstdint>

#include "papilio/device.h"
#include "papilio/error.h"
#include "support/text.h"

CLI::Validator prior() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e6;
        return fits ? std::string() : fmt::format("is {}, expected 0 < value <= 1e6", text);
      },
      "0 < value <= 1e6");
}

CLI::Validator device_name() {
  return CLI::Validator(
      [](const std::string& text) {
        try {
          papilio::Device::parse(text);
        } catch (const papilio::InvalidArgument& error) {
          return std::string(without_caller(error.what()));
        } catch (const papilio::DeviceUnavailable&) {
          // A device's name; the command will say that it is absent.
        }
        return std::string();
      },
      "auto|cpu|cuda|cuda:N");
}

// CLI11 would read -1 as the largest seed.
CLI::Validator seed() {
  return CLI::Validator(
      [](const std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fits = error == std::errc() && end == text.data() + text.size();
        return fits ? std::string() : fmt::format("is {}, expected an integer from 0 to 2^64 - 1", text);
      },
      "0 <= value < 2^64");
}
